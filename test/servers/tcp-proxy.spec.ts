import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';

/** Answers every line with itself in capitals, and remembers what it got. */
class Shouter {
  readonly got: string[] = [];
  readonly sockets = new Set<Socket>();
  readonly server: Server = createServer((socket) => {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.got.push(...text.split('\n').filter(Boolean));
      socket.write(text.toUpperCase());
    });
  });
}

/** A client that collects what comes back. */
class Client {
  text = '';
  error: NodeJS.ErrnoException | undefined;
  constructor(readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (text: string) => (this.text += text));
    socket.on('error', (error) => (this.error = error));
  }

  static async to(port: number): Promise<Client> {
    const client = new Client(connect(port, '127.0.0.1'));
    await once(client.socket, 'connect');
    return client;
  }

  async says(line: string, expected = `${line.toUpperCase()}\n`): Promise<void> {
    this.text = '';
    this.socket.write(`${line}\n`);
    await eventually(`${expected.trim()} arrives`, () => this.text === expected);
  }
}

describe('TcpProxy', () => {
  let shouter: Shouter;
  let proxy: TcpProxy;

  beforeEach(async () => {
    shouter = new Shouter();
    shouter.server.listen(0, '127.0.0.1');
    await once(shouter.server, 'listening');
    proxy = await startProxy((shouter.server.address() as AddressInfo).port);
  });

  afterEach(async () => {
    await proxy.stop();
    shouter.sockets.forEach((socket) => socket.destroy());
    shouter.server.close();
  });

  it('forwards both ways', async () => {
    const client = await Client.to(proxy.port);
    await client.says('hello');
    expect(proxy.connections).toBe(1);
    client.socket.end();
    await eventually('no connection is left', () => proxy.connections === 0 && shouter.sockets.size === 0);
  });

  it('swallows replies: the work is done and the client does not hear of it', async () => {
    const client = await Client.to(proxy.port);
    await client.says('one');
    proxy.dropReplies();
    client.text = '';
    client.socket.write('two\n');
    await eventually('the request arrives', () => shouter.got.includes('two'));
    await sleep(50);
    expect(client.text).toBe('');
  });

  it('swallows requests: the server never sees them', async () => {
    const client = await Client.to(proxy.port);
    proxy.dropRequests();
    client.socket.write('lost\n');
    await sleep(50);
    expect(shouter.got).toEqual([]);
  });

  it('keeps a connection that lost bytes silent, as TCP would, and serves new ones', async () => {
    const old = await Client.to(proxy.port);
    proxy.dropReplies();
    old.socket.write('lost\n');
    await eventually('the request arrives', () => shouter.got.includes('lost'));
    await sleep(50);
    proxy.dropReplies(false);
    old.socket.write('late\n');
    await eventually('the late request arrives', () => shouter.got.includes('late'));
    const fresh = await Client.to(proxy.port);
    await fresh.says('fine');
    expect(old.text).toBe('');
  });

  it('delays one direction and keeps the order when the delay ends', async () => {
    const client = await Client.to(proxy.port);
    proxy.delay(100, 'requests');
    const start = performance.now();
    client.socket.write('slow\n');
    await sleep(20);
    proxy.delay(0);
    client.socket.write('quick\n');
    expect(shouter.got).toEqual([]);
    await eventually('both requests arrive', () => shouter.got.length === 2);
    expect(performance.now() - start).toBeGreaterThanOrEqual(95);
    expect(shouter.got).toEqual(['slow', 'quick']);
  });

  it('lets another connection overtake a delayed one', async () => {
    const slow = await Client.to(proxy.port);
    proxy.delay(600, 'requests');
    const arrived = new Promise((resolve) => proxy.onRequest(resolve));
    slow.socket.write('claim\n');
    await arrived;
    proxy.delay(0);
    const quick = await Client.to(proxy.port);
    await quick.says('withdraw');
    await eventually('both requests arrive', () => shouter.got.length === 2);
    expect(shouter.got).toEqual(['withdraw', 'claim']);
  });

  it('resets all connections at a cut, and takes new ones', async () => {
    const clients = await Promise.all([Client.to(proxy.port), Client.to(proxy.port)]);
    await Promise.all(clients.map((client) => client.says('here')));
    proxy.cut();
    await eventually('all clients are cut off', () =>
      clients.every((client) => client.error?.code === 'ECONNRESET'),
    );
    await eventually('the server has no connection', () => shouter.sockets.size === 0);
    await (await Client.to(proxy.port)).says('again');
  });

  it('refuses new connections while open ones stay, then takes them again on the same port', async () => {
    const open = await Client.to(proxy.port);
    await proxy.refuse();
    await expect(Client.to(proxy.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await open.says('still here');
    await proxy.accept();
    await (await Client.to(proxy.port)).says('back');
  });

  it('resets the client when no server listens behind it', async () => {
    shouter.server.close();
    const client = await Client.to(proxy.port);
    await eventually(
      'the client is cut off',
      () => client.error?.code === 'ECONNRESET' || client.socket.destroyed,
    );
    await eventually('the proxy has no connection', () => proxy.connections === 0);
  });
});
