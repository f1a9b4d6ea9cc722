/** One server of a client's configuration, and the same behind the gateway. */

/** What a client starts. */
export interface Entry {
  readonly name: string;
  readonly command: readonly string[];
  /** Names of the variables that it is given; null if a file holds them that the client reads. */
  readonly env: readonly string[] | null;
}

/** Why an entry stays as it is. */
export type Left =
  | 'already behind the gateway'
  | 'not a process: put it behind `spillway mcp --url` by hand'
  | 'its variables come from a file: name them with --env by hand';

export type Wrapped = { readonly command: readonly string[] } | { readonly left: Left };

/** The words that start the gateway, before its arguments. */
export type Program = readonly string[];

export function wrapEntry({ name, command, env }: Entry, program: Program): Wrapped {
  if (command.length === 0) return { left: 'not a process: put it behind `spillway mcp --url` by hand' };
  if (isGateway(command)) return { left: 'already behind the gateway' };
  if (env === null) return { left: 'its variables come from a file: name them with --env by hand' };
  const variables = env.flatMap((variable) => ['--env', variable]);
  return {
    command: [...program, 'mcp', '--name', nameFor(name), ...variables, '--', ...command],
  };
}

function isGateway(command: readonly string[]): boolean {
  const at = command.indexOf('mcp');
  return (
    at > 0 &&
    command.slice(0, at).some((word) => /(?:^|[/\\])(?:spillway|acode)(?:\.js|\.cmd|@.*)?$/.test(word))
  );
}

/** A name that `--name` takes. */
function nameFor(name: string): string {
  return name.replace(/[^\w.-]+/g, '-').slice(0, 100) || 'server';
}
