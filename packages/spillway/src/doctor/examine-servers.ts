/** Which MCP servers of clients run behind the gateway, file by file. */
import { existsSync } from 'node:fs';
import { SpillwayError } from '@spillway/core';
import { CLIENTS, type ClientFolders } from '../gateway/install/clients.ts';
import { plan } from '../gateway/install/install.ts';
import { type Finding, ok, warning } from './findings.ts';

export function examineServers(folders: ClientFolders): readonly Finding[] {
  const seen = new Set<string>();
  return CLIENTS.flatMap((client) =>
    client.files(folders).flatMap((file) => {
      if (seen.has(file) || !existsSync(file)) return [];
      seen.add(file);
      const name = `Servers of ${client.title}`;
      try {
        const found = plan(file, { client, folders, program: null, only: [] });
        const [wrapped, all] = [found?.changes.map((one) => one.name) ?? [], found?.names ?? []];
        const others = all.filter((one) => !wrapped.includes(one));
        if (wrapped.length === 0) return [];
        const beside = others.length === 0 ? '' : `; not behind it: ${others.join(', ')}`;
        return [ok(name, `${file}: behind the gateway: ${wrapped.join(', ')}${beside}`)];
      } catch (error) {
        if (!(error instanceof SpillwayError)) throw error;
        return [warning(name, error.message, 'Correct the file: the client may not read it either.')];
      }
    }),
  );
}
