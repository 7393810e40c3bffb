import { Controller, Param, Post, Res, type INestApplication } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { Idempotent } from 'nestjs-bedrock';
import { locksOf } from '../app.js';
import { ADAPTERS, closeServers, listen } from '../handlers/server.js';

afterEach(closeServers);

interface Answering {
  readonly raw?: ServerResponse;
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
}

/** No byte of a header: U+017C. */
const FILE = 'attachment; filename="\u017c.pdf"';

/** What no server can send, by name. */
const UNSENDABLE: Readonly<Record<string, (answer: Answering, raw: ServerResponse) => unknown>> = {
  'a header': (answer) => {
    answer.header('Content-Disposition', FILE);
    answer.send({ id: 1 });
  },
  'a head of Node': (_answer, raw) => raw.writeHead(200, { 'Content-Disposition': FILE }).end('{}'),
  'a status': (_answer, raw) => raw.writeHead(99).end('{}'),
  'an object as a body': (_answer, raw) => raw.end({}),
  'a number as a body': (_answer, raw) => raw.end(5),
  'a number as a part': (_answer, raw) => {
    raw.write(5);
    raw.end();
  },
  'a second head': (_answer, raw) => {
    raw.writeHead(202);
    raw.writeHead(203);
    raw.end('{}');
  },
};

@Controller()
class Unsendable {
  runs = 0;

  @Post('plain/:what')
  async plain(@Param('what') what: string, @Res() answer: Answering) {
    UNSENDABLE[what]!(answer, answer.raw ?? (answer as unknown as ServerResponse));
  }

  @Post('once/:what')
  @Idempotent('unsendable')
  async once(@Param('what') what: string, @Res() answer: Answering) {
    this.runs += 1;
    const raw = answer.raw ?? (answer as unknown as ServerResponse);
    if (what === 'nothing') answer.send({ id: 1 });
    else UNSENDABLE[what]!(answer, raw);
  }
}

describe.each(ADAPTERS)('on %s, what no server can send', (_name, adapter) => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  beforeEach(() => process.on('unhandledRejection', hear));
  afterEach(() => {
    process.off('unhandledRejection', hear);
    expect(unhandled.splice(0)).toEqual([]);
  });

  const serve = async (prepare?: (app: INestApplication) => void) => {
    const { app, url } = await listen(
      { imports: [locksOf([], { idempotency: ['unsendable'] })], controllers: [Unsendable] },
      { adapter: adapter(), ...(prepare !== undefined && { prepare }) },
    );
    const ask = async (path: string, what: string) => {
      const init = {
        method: 'POST',
        headers: { 'Idempotency-Key': 'key' },
        signal: AbortSignal.timeout(5_000),
      };
      const response = await fetch(`${url}/${path}/${encodeURIComponent(what)}`, init);
      return { status: response.status, text: await response.text() };
    };
    return { app, ask };
  };

  it.each(Object.keys(UNSENDABLE))(
    'is answered as without @Idempotent(), and never stored: %s',
    async (what) => {
      const { ask } = await serve();
      const plain = await ask('plain', what);
      expect(await ask('once', what)).toEqual(plain);
      const again = await ask('once', what);
      // Where Fastify fails after the body, that has run.
      if (again.status === 409) expect(again.text).toContain('IDEMPOTENCY_RESULT');
      else expect(again).toEqual(plain);
    },
  );

  it('ends in 500 where an answer fails as it leaves', async () => {
    const { ask, app } = await serve((made) => {
      made.use((_request: unknown, response: ServerResponse, next: () => void) => {
        const writeHead = response.writeHead.bind(response);
        response.writeHead = () => {
          response.writeHead = writeHead;
          throw new Error('a listener for the head fails');
        };
        next();
      });
    });
    expect(await ask('once', 'nothing')).toEqual({
      status: 500,
      text: '{"statusCode":500,"message":"Internal server error"}',
    });
    expect(app.get(Unsendable).runs).toBe(1);
  });
});
