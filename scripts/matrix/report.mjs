// Writes the page of the matrix from what was run.
import { WAYS } from './run.mjs';
import { LEFT_OUT } from './servers.mjs';

/** `how` says of which build the cells are, and whether they are of one run. */
export function matrixReport({ servers, clients, absent }, cells, how) {
  const rows = servers.map((server) => {
    const name = `${server.package} ${server.version}${server.large === undefined ? ' ¹' : ''}`;
    return `| ${[name, ...clients.map((client) => verdict(server, client, cells))].join(' | ')} |`;
  });
  const failed = cells.filter(({ failures }) => failures.length > 0);
  const unable = cells.filter((cell) => cell.unable !== undefined);
  return `# Matrix of servers and clients

MCP servers from npm that run offline and want no credentials, each used by real clients: directly,
and through the gateway of the packed packages. Written by \`node scripts/gateway-matrix.mjs\` on
${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${how}.

The gateway is used on three ways: \`spillway mcp -- SERVER\`, \`spillway serve -- SERVER\` and
\`spillway mcp --url\` in front of the server behind mcp-proxy. On each way the list of tools has to be
the one that the client gets directly, with \`get_artifact\` as the only addition and without
\`outputSchema\` ([decision 27](decisions.md#27-structured-content-of-a-cut-result-is-left-out-by-default)); the result of a small call has
to be identical; a large one has to be shown in at most 8,000 chars and to come back exactly, page by
page, through \`get_artifact\`. What a client throws where a tool says that it failed counts as the
result. A cell counts the ways on which all of that held. In the answers of sequential-thinking one
number is not compared: behind mcp-proxy all clients share one server, which counts its calls.

| server | ${clients.map(({ name }) => name).join(' | ')} |
|---|${clients.map(() => '---').join('|')}|
${rows.join('\n')}

¹ This server has no call with a large result.

${failed.length === 0 ? `All ${cells.length - unable.length} uses held.` : `**Failed**:\n\n${failed.map(sentence).join('\n')}`}
${unable.length === 0 ? '' : `\nWhat a client cannot do without the gateway either:\n\n${unable.map(sentence).join('\n')}\n`}
## Clients

| client | packages |
|---|---|
${clients.map(({ name, versions }) => `| ${name} | ${versions.join(', ')} |`).join('\n')}
${absent.map(({ name, why }) => `| ${name} | not run: ${why} |\n`).join('')}
## Servers that were left out

Looked at, and not used through the gateway. All were installed without their install scripts.

| package | why |
|---|---|
${LEFT_OUT.map((row) => `| ${row.join(' | ')} |`).join('\n')}
`;
}

function verdict(server, client, cells) {
  const own = cells.filter((cell) => cell.server === server.package && cell.client === client.name);
  const tried = own.filter(({ unable }) => unable === undefined);
  if (tried.length === 0) return '–';
  const held = tried.filter(({ failures }) => failures.length === 0).length;
  return held === WAYS.length ? `✓ ${held}` : `${held} of ${tried.length}`;
}

function sentence({ server, client, way, failures, unable }) {
  return `- ${server}, ${client}, \`${way}\`: ${unable ?? failures.join('; ')}`;
}
