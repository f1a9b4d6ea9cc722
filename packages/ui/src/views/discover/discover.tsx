/** Discover: what Spillway would have done for the histories that agents keep on this machine. */
import * as lucide from 'lucide';
import { useState } from 'preact/hooks';
import type { Line } from '../../../../spillway/src/inspector/api.ts';
import { Button, Facts, IconButton, Page, Since, TableSection } from '../../components/controls.tsx';
import { Empty, useWork, Working } from '../../components/empty.tsx';
import { readLines } from '../../data/api-client.ts';
import { formatCount, formatShort, pluralize } from '../../data/figures.ts';
import { copy, usePage } from '../../shell/page.ts';
import type { Route } from '../../shell/router.ts';

type DiscoverLine = Line<'POST /api/discover'>;
type Found = Extract<DiscoverLine, { type: 'found' }>;

const SPANS = { '7d': 'Last 7 days', '30d': 'Last 30 days', '52w': 'Last year', all: 'Everything' };

export function DiscoverView({ route }: { route: Route }) {
  usePage({ title: 'Discover' });
  const since = route.query.get('since') ?? '30d';
  const [turn, setTurn] = useState(0);
  const order = { since: since === 'all' ? null : since };
  const work = useWork<DiscoverLine>(`discover ${since} ${turn}`, false, (signal, onLine) =>
    readLines('/api/discover', order, signal, onLine),
  );
  const found = work.data?.[0];
  return (
    <Page
      title="Discover"
      tools={
        <>
          <Since value={since} spans={SPANS} />
          {found && <Button onClick={() => setTurn(turn + 1)}>Start over</Button>}
        </>
      }
    >
      {work.problem && <p class="error">{work.problem}</p>}
      {!work.isAsked && (
        <Empty title="What did your agents miss?" icon={lucide.Search}>
          <p>
            Your coding agents keep their sessions on this machine. Spillway can read them and show which
            errors were cut away before the agent saw them. It only reads: nothing is stored, and nothing
            leaves this machine.
          </p>
          <Button kind="pri" onClick={work.ask}>
            Read the histories
          </Button>
        </Empty>
      )}
      {work.progress !== undefined && <Working progress={work.progress} onStop={work.stop} />}
      {found?.total.results === 0 && (
        <Empty title="No tool results were found">
          <p>Spillway looked in {found.folders.join(', ')}.</p>
        </Empty>
      )}
      {found && found.total.results > 0 && <Discovered {...found} />}
    </Page>
  );
}

function Discovered({ total, agents, words, missed, habits, sentence }: Found) {
  return (
    <>
      <Facts
        facts={[
          {
            name: 'Errors never shown',
            value: formatCount(total.missed_results),
            note: `of which Spillway shows ${formatCount(total.missed_shown_by_default)}`,
            tone: total.missed_results > 0 ? 'error' : 'ok',
          },
          {
            name: 'Results',
            value: formatCount(total.results),
            note: `in ${pluralize(total.sessions, 'session')}`,
          },
          { name: 'Read by models', value: `≈ ${formatShort(total.shown_tokens)}`, note: 'tokens' },
          { name: 'With Spillway', value: `≈ ${formatShort(total.default_tokens)}`, note: 'tokens' },
        ]}
      />
      <ul class="words facts-note">
        {words.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <TableSection
        title="Errors that an agent was never shown"
        none="None in the outputs that are still there in full."
        class="cards"
        rows={missed.map((each, at) => ({ ...each, at }))}
        keyOf={({ at }) => at}
        columns={[
          { name: 'Command', of: ({ command }) => <code>{command}</code> },
          {
            name: 'First line that was missed',
            isText: true,
            of: ({ line, line_number, lines }) => (
              <span>
                <code>{line}</code> <span class="dim">{placeWords(line_number, lines)}</span>
              </span>
            ),
          },
          { name: 'Agent', isText: true, of: ({ agent }) => agent },
          { name: 'Session', isText: true, of: ({ session }) => <code>{session}</code> },
          {
            name: 'Spillway',
            isText: true,
            of: (each) => (each.shown_by_default ? 'shows it' : 'leaves it out too'),
          },
        ]}
      >
        {missed.length < total.missed_results && (
          <p class="hint">The last {formatCount(missed.length)} are listed.</p>
        )}
      </TableSection>
      <TableSection
        title="By agent"
        none=""
        class="cards"
        rows={agents}
        keyOf={({ agent }) => agent}
        columns={[
          { name: 'Agent', of: ({ agent }) => agent },
          { name: 'Sessions', of: ({ sessions }) => formatCount(sessions) },
          { name: 'Results', of: ({ results }) => formatCount(results) },
          { name: 'Cut', of: ({ cut }) => formatCount(cut) },
          { name: 'Errors missed', of: ({ missed_results }) => formatCount(missed_results) },
          { name: 'Tokens', of: ({ shown_tokens }) => formatShort(shown_tokens) },
          { name: 'With Spillway', of: ({ default_tokens }) => formatShort(default_tokens) },
        ]}
      />
      <TableSection
        title="Calls that took the most room"
        none=""
        class="cards"
        rows={habits}
        keyOf={({ agent, name }) => `${agent} ${name}`}
        columns={[
          { name: 'Call', of: ({ name }) => <code>{name}</code> },
          { name: 'Agent', isText: true, of: ({ agent }) => agent },
          { name: 'Results', of: ({ results }) => formatCount(results) },
          { name: 'Chars', of: ({ shown_chars }) => formatShort(shown_chars) },
          { name: 'With Spillway', of: ({ default_chars }) => formatShort(default_chars) },
        ]}
      />
      <section class="section">
        <h2>To share</h2>
        <p>
          {sentence}{' '}
          <IconButton
            icon={lucide.Copy}
            size=""
            label="Copy the sentence"
            onClick={() => copy(sentence, 'Sentence')}
          />
        </p>
      </section>
    </>
  );
}

/** `line 2,001, and 3 more`. */
function placeWords(line: number, lines: number): string {
  return `line ${formatCount(line)}${lines > 1 ? `, and ${formatCount(lines - 1)} more` : ''}`;
}
