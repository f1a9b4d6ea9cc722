/** Which server a gateway stands in front of, as the command line says it. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type Given, usageError } from '../../flags.ts';
import { headersIn, type Target, targetUrl } from '../../gateway/connecting.ts';
import { inheritedEnvironment, namedEnvironment } from '../../gateway/environment.ts';
import { readServers } from '../../gateway/servers-file.ts';
import { LOG } from '../../gateway/wording.ts';
import { readNamedFile } from '../../named-file.ts';

export async function targetIn(
  given: Given,
  command: string,
  log: (line: string) => void,
): Promise<{ readonly target: Target; readonly name: () => string }> {
  const [program, ...args] = given.operands;
  const url = given.value('url');
  const config = given.value('config');
  if ([program, url, config].filter((way) => way !== undefined).length !== 1)
    throw usageError('Say which server: -- COMMAND [ARGUMENTS], --url URL, or --config FILE.', command);
  if (config !== undefined) {
    const inherited = await inheritedEnvironment(process.env);
    const around = { own: process.env, inherited, cwd: process.cwd() };
    const { servers, skipped } = readServers(readNamedFile(config), around);
    for (const { name, why } of skipped) log(LOG.skipped(name, why));
    return {
      target: { kind: 'merged', servers },
      name: () => nameOf(['merged', ...servers.map(({ name }) => name)]),
    };
  }
  if (url !== undefined) {
    const target = {
      kind: 'url' as const,
      url: targetUrl(url),
      headers: headersIn(given.values('header'), process.env),
    };
    return { target, name: () => nameOf([target.url.origin, target.url.pathname]) };
  }
  if (program === undefined) throw usageError('Say which server.', command);
  const named = given.values('env');
  const env =
    named.length === 0 ? await inheritedEnvironment(process.env) : namedEnvironment(named, process.env);
  return {
    target: { kind: 'process', command: program, args, env, cwd: process.cwd() },
    name: () => nameOf([program, ...args]),
  };
}

/**
 * A name for a server that was given none: what is run, and a mark that tells two servers with the
 * same program apart.
 */
function nameOf(words: readonly string[]): string {
  const named = words.find((word) => /(?:^|[/@-])(?:mcp|server)/i.test(word)) ?? words[0] ?? '';
  const label = basename(named)
    .replace(/@[\d.]+$|\.[cm]?[jt]s$|\.py$|\.exe$/, '')
    .replace(/[^\w.-]+/g, '-');
  return `${label}-${createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 8)}`;
}
