/**
 * What a client calls the tools of its servers. A model can only call what its client offers it, so
 * a notice names the tool as that client spells it. Known by the name with which clients introduce
 * themselves; any other client is told the plain name.
 */

type Spelling = (server: string, tool: string) => string;

const plain = (name: string) => name.replace(/[^\w-]/g, '_');
const doubled: Spelling = (server, tool) => `mcp__${plain(server)}__${plain(tool)}`;

const SPELLINGS: Readonly<Record<string, Spelling>> = {
  'claude-code': doubled,
  'codex-mcp-client': doubled,
  opencode: (server, tool) => `${plain(server)}_${plain(tool)}`,
};

/** `server`: how the client's configuration calls it; null where that is not known. */
export function spelledName(client: string | null, server: string | null, tool: string): string {
  const spelling = client === null ? undefined : SPELLINGS[client];
  return spelling === undefined || server === null ? tool : spelling(server, tool);
}

/** What a server may be called: what its client calls it, if that is a name at all. */
export function isServerName(name: string): boolean {
  return /^[\p{L}\p{N}_.-](?:[\p{L}\p{N}_. -]{0,98}[\p{L}\p{N}_.-])?$/u.test(name);
}
