/**
 * The tool that a model is given to fetch more. Models read its name, description and schema: each
 * is pinned by a test.
 */

import type { ToolDefinition } from '../model/fetch.ts';
import type { FormatAddress } from '../model/format.ts';

/** `get_artifact` as a model is told of it: name, description, JSON Schema. */
export const GET_ARTIFACT = {
  name: 'get_artifact',
  description:
    'Read more of an earlier tool output: its first page, or what one argument selects. Pages name the next call. Counts from 1.',
  inputSchema: {
    type: 'object',
    properties: {
      artifact_id: { type: 'string' },
      part: { type: 'string' },
      start_line: { type: 'integer' },
      end_line: { type: 'integer' },
      lines: { type: 'string', description: '"100-200"' },
      chars: { type: 'string', description: '"1-5000"' },
      pattern: { type: 'string', description: 'RE2 regex' },
      context: { type: 'integer', description: 'lines around matches' },
      json_path: { type: 'string', description: '"$.items[100:200].name"' },
      rows: { type: 'string', description: 'of a table' },
      file: { type: 'string', description: 'path or glob in a diff' },
      xml_path: { type: 'string', description: '"//b[3]/@id"' },
      search: { type: 'string', description: 'words, to find the artifact' },
      cursor: { type: 'string' },
    },
  },
} as const;

/**
 * The tool with the arguments of added formats, and without those that no engine answers. An
 * argument that is there already stays as it is.
 */
export function getArtifactTool(
  added: readonly Pick<FormatAddress, 'argument' | 'description'>[],
  engines: { readonly patterns: boolean; readonly paths: boolean },
): ToolDefinition {
  const { inputSchema } = GET_ARTIFACT;
  const missing = [
    ...(engines.patterns ? [] : ['pattern', 'context']),
    ...(engines.paths ? [] : ['json_path']),
  ];
  const { cursor, ...all } = inputSchema.properties;
  const known = Object.fromEntries(Object.entries(all).filter(([name]) => !missing.includes(name)));
  const own = added
    .filter(({ argument }) => !Object.hasOwn(inputSchema.properties, argument))
    .map(({ argument, description }) => [argument, { type: 'string', description }]);
  const properties = { ...known, ...Object.fromEntries(own), cursor };
  return { ...GET_ARTIFACT, inputSchema: { ...inputSchema, properties } };
}

/** The same for a caller whose messages are kept: they can be fetched by number. */
export function withMessages(tool: ToolDefinition): ToolDefinition {
  const { cursor, ...known } = tool.inputSchema.properties as Readonly<Record<string, unknown>>;
  const message = { type: 'string', description: 'earlier message: "12" or "12-20"' };
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: { ...known, message, cursor } } };
}
