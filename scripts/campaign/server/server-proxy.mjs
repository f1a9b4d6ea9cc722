// What stands between the program and the server: passes bytes on, and can do to a connection what
// a network does. It goes on under the same address when the server behind it is another one.
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';

export class ServerProxy {
  /** Where it passes connections on to. */
  target;
  /** Whether new connections are taken. */
  isOpen = true;
  #pairs = new Set();
  #server = createServer((client) => this.#take(client));

  constructor(target) {
    this.target = target;
  }

  static async before(target) {
    const proxy = new ServerProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  url(database) {
    return `postgres://postgres@127.0.0.1:${this.#server.address().port}/${database}`;
  }

  /** Breaks all connections; what is under way on them is lost. */
  cut() {
    for (const pair of this.#pairs) pair.end();
  }

  /** Breaks each connection when the server next answers on it: the work is done, nobody hears of it. */
  loseAnswers() {
    for (const pair of this.#pairs) pair.losesAnswer = true;
  }

  /** Nothing passes for so long; then everything does. */
  stall(ms) {
    for (const { client, upstream } of this.#pairs)
      for (const socket of [client, upstream]) {
        socket.pause();
        setTimeout(() => socket.resume(), ms);
      }
  }

  async close() {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(client) {
    client.on('error', () => {});
    if (!this.isOpen) {
      client.resetAndDestroy();
      return;
    }
    const upstream = createConnection(this.target);
    const pair = { client, upstream, losesAnswer: false, end: () => this.#end(pair) };
    this.#pairs.add(pair);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      from.on('data', (data) => {
        if (from === upstream && pair.losesAnswer) pair.end();
        else if (!to.write(data)) from.pause();
      });
      from.on('drain', () => to.resume());
      from.on('error', () => {});
      from.on('close', pair.end);
    }
  }

  #end(pair) {
    this.#pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.upstream.destroy();
  }
}
