/**
 * What a model reads when a call could not be made as it asked. Text that a model reads is an API:
 * a test pins it.
 */

/** In place of a result of a tool that does not exist. */
export function unknownTool(tool: string, known: readonly string[]): string {
  return `There is no tool ${tool}. The tools are: ${known.join(', ')}.`;
}

/** In place of a result of a call whose arguments cannot be read. */
export function notJson(tool: string): string {
  return `The arguments for ${tool} are not valid JSON. Nothing was run. Send the arguments as valid JSON.`;
}
