// Prints a text of the campaign: its name, its bytes.
import { once } from 'node:events';
import { chunks } from '../content.mjs';

const [name, bytes] = process.argv.slice(2);
for (const chunk of chunks(name, Number(bytes)))
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
