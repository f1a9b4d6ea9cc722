/**
 * How clients spell the tools of their servers, by the name with which a client introduces itself.
 * A notice must name a tool as its client offers it; unknown clients get the plain name.
 */

type Spelling = (server: string, tool: string) => string;

const plain = (name: string) => name.replace(/[^\w-]/g, '_');
const doubled: Spelling = (server, tool) => `mcp__${plain(server)}__${plain(tool)}`;

const SPELLINGS: Readonly<Record<string, Spelling>> = {
  'claude-code': doubled,
  'codex-mcp-client': doubled,
  opencode: (server, tool) => `${plain(server)}_${plain(tool)}`,
};

/** `server`: its name in the client's configuration; null if unknown. */
export function spelledName(client: string | null, server: string | null, tool: string): string {
  const spelling = client === null ? undefined : SPELLINGS[client];
  return spelling === undefined || server === null ? tool : spelling(server, tool);
}

export function isServerName(name: string): boolean {
  return /^[\p{L}\p{N}_.-](?:[\p{L}\p{N}_. -]{0,98}[\p{L}\p{N}_.-])?$/u.test(name);
}
