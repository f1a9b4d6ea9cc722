/** Where the text of a preview comes from: a stored output, a file, or the clipboard. */
import { useRef, useState } from 'preact/hooks';
import type { OutputsAnswer, PreviewText } from '../../../../spillway/src/inspector/api.ts';
import { askedFor } from '../../components/call.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { get, queryString, request } from '../../data/api-client.ts';
import { useResource } from '../../data/resource.ts';
import { setQuery } from '../../shell/router.ts';
import { say } from '../../shell/toast.ts';

interface SourceBarProps {
  readonly source: string | undefined;
  readonly tool: string | undefined;
  readonly tools: readonly string[];
  readonly onTool: (tool: string) => void;
}

export function SourceBar({ source, tool, tools, onTool }: SourceBarProps) {
  const [isPasting, setPasting] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const recent = useResource('recent outputs', (signal) =>
    get<OutputsAnswer>('/api/outputs', { limit: 50 }, signal),
  ).data;
  const isListed = recent?.items.some(({ id }) => id === source) ?? false;
  return (
    <>
      <label class="inline source-pick">
        Source{' '}
        <select value={source ?? ''} onChange={(event) => setQuery({ o: event.currentTarget.value })}>
          {source === undefined && <option value="">choose an output</option>}
          {source !== undefined && !isListed && <option value={source}>{source}</option>}
          {recent?.items.map((output) => (
            <option key={output.id} value={output.id}>
              {askedFor(output)} · {output.id.slice(-6)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="btn" onClick={() => picker.current?.click()}>
        Choose or drop a file
      </button>
      <input
        ref={picker}
        class="sr"
        type="file"
        tabIndex={-1}
        aria-label="A file to preview"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) void take(file, file.name, tool);
        }}
      />
      <button type="button" class="btn" onClick={() => setPasting(true)}>
        Paste
      </button>
      <label class="inline">
        Tool{' '}
        <select value={tool ?? ''} onChange={(event) => onTool(event.currentTarget.value)}>
          <option value="">its own</option>
          {tools.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {isPasting && <Paste tool={tool} onClose={() => setPasting(false)} />}
    </>
  );
}

function Paste({ tool, onClose }: { tool: string | undefined; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const use = () => {
    const text = field.current?.value ?? '';
    onClose();
    if (text !== '') void take(new Blob([text]), 'pasted text', tool);
  };
  return (
    <Dialog
      title="Preview a text"
      onClose={onClose}
      foot={
        <button type="button" class="btn pri" onClick={use}>
          Use it
        </button>
      }
    >
      <textarea ref={field} class="paste" aria-label="The text" rows={12} />
    </Dialog>
  );
}

/** Hands a text to the inspector, which keeps it while it runs, and shows it. */
export async function take(content: Blob, name: string, tool: string | undefined): Promise<void> {
  try {
    const response = await request(`/api/preview/texts${queryString({ name, tool })}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: content,
    });
    setQuery({ o: ((await response.json()) as PreviewText).id });
  } catch (error) {
    say((error as Error).message);
  }
}
