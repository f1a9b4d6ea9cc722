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
    'Read more of an earlier tool output by the artifact id in its notice: the first page, or what one argument selects. ' +
    'Each page names the next call. Counting starts at 1.',
  inputSchema: {
    type: 'object',
    properties: {
      artifact_id: { type: 'string' },
      part: { type: 'string', description: 'e.g. "stderr" or "2"' },
      start_line: { type: 'integer' },
      end_line: { type: 'integer' },
      lines: { type: 'string', description: '"100-200" or "100-"' },
      chars: { type: 'string', description: '"1-5000"' },
      pattern: { type: 'string', description: 'regular expression (RE2): matching lines' },
      context: { type: 'integer', description: 'lines around each match' },
      json_path: { type: 'string', description: 'JSONPath, e.g. "$.items[100:200].name"' },
      rows: { type: 'string', description: 'of a table: "100-200"' },
      file: { type: 'string', description: 'of a diff: path, may have *' },
      xml_path: { type: 'string', description: 'e.g. "/a/b[3]/c" or "//c/@id"' },
      cursor: { type: 'string', description: 'from the page before' },
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
