/**
 * The tool that a model is given to fetch more. Models read its name, description and schema: each
 * is pinned by a test.
 */
import type { FormatAddress } from '../model/format.ts';
import type { ToolDefinition } from '../model/tool-definition.ts';

/**
 * The tool `get_artifact` as a model is told of it: name, description and JSON Schema of its
 * arguments.
 */
export const GET_ARTIFACT = {
  name: 'get_artifact',
  description:
    'Fetch the stored full output of an earlier tool call, or a part of it, by the artifact id named in its notice. ' +
    'Without a range the first page is returned; each page names the call for the next one. Lines and chars count from 1.',
  inputSchema: {
    type: 'object',
    properties: {
      artifact_id: { type: 'string', description: 'The id, e.g. art_1699234567_a1b2c3d4.' },
      part: {
        type: 'string',
        description: 'Which part of an output that has several, e.g. "stderr" or "2".',
      },
      start_line: { type: 'integer', minimum: 1, description: 'First line wanted.' },
      end_line: { type: 'integer', minimum: 1, description: 'Last line wanted; without it up to the end.' },
      lines: { type: 'string', description: 'Lines wanted, e.g. "100-200" or "100-".' },
      chars: { type: 'string', description: 'Chars wanted, e.g. "1-5000"; for text with very long lines.' },
      pattern: {
        type: 'string',
        description:
          'Only lines that match this regular expression (RE2 syntax), in all parts unless one is named.',
      },
      context: {
        type: 'integer',
        minimum: 1,
        description: 'Lines to show before and after each match.',
      },
      json_path: {
        type: 'string',
        description: 'For JSON: only values under this JSONPath (RFC 9535), e.g. "$.items[100:200].name".',
      },
      rows: { type: 'string', description: 'For tables: rows wanted, below the header, e.g. "100-200".' },
      file: {
        type: 'string',
        description: 'For diffs: only the file with this path, or pattern with *.',
      },
      xml_path: {
        type: 'string',
        description: 'For XML: only elements under this path, e.g. "/a/b[3]/c", "//c" or "//c/@id".',
      },
      cursor: {
        type: 'string',
        description: 'Where to go on, in the exact next call that the page before named.',
      },
    },
    required: ['artifact_id'],
  },
} as const;

/**
 * The tool with the arguments of added formats. An argument that is there already stays as it is.
 */
export function getArtifactTool(
  added: readonly Pick<FormatAddress, 'argument' | 'description'>[],
): ToolDefinition {
  const { inputSchema } = GET_ARTIFACT;
  const { cursor, ...known } = inputSchema.properties;
  const own = added
    .filter(({ argument }) => !Object.hasOwn(inputSchema.properties, argument))
    .map(({ argument, description }) => [argument, { type: 'string', description }]);
  const properties = { ...known, ...Object.fromEntries(own), cursor };
  return { ...GET_ARTIFACT, inputSchema: { ...inputSchema, properties } };
}
