import { Controller, Post, UploadedFile, UseInterceptors } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { Idempotent } from 'nestjs-bedrock';
import { locksOf } from '../app.js';
import { ADAPTERS, closeServers, listen } from '../handlers/server.js';

afterEach(closeServers);

@Controller()
class Uploads {
  runs = 0;

  @Post('plain')
  @Idempotent('uploads')
  async plain() {
    return { run: (this.runs += 1) };
  }

  @Post('digest')
  @Idempotent({
    idempotency: 'uploads',
    payload: (request: { headers: Record<string, string> }) => request.headers['content-digest'],
  })
  async digest() {
    return { run: (this.runs += 1) };
  }
}

@Controller()
class Files {
  @Post('inner')
  @UseInterceptors(FileInterceptor('file'))
  @Idempotent('uploads')
  async inner(@UploadedFile() file: { buffer: Buffer }) {
    return file.buffer.toString();
  }

  @Post('outer')
  @Idempotent('uploads')
  @UseInterceptors(FileInterceptor('file'))
  async outer(@UploadedFile() file: { buffer: Buffer }) {
    return file.buffer.toString();
  }

  @Post('compared')
  @Idempotent({
    idempotency: 'uploads',
    payload: (request: { file: { buffer: Buffer } }) => request.file.buffer,
  })
  @UseInterceptors(FileInterceptor('file'))
  async compared(@UploadedFile() file: { buffer: Buffer }) {
    return file.buffer.toString();
  }
}

function form(text: string): FormData {
  const data = new FormData();
  data.set('file', new Blob([text]), 'file.txt');
  return data;
}

describe.each(ADAPTERS)('@Idempotent() and bodies that nothing has read, on %s', (name, adapter) => {
  const uploads = async () => {
    const { app, url, log } = await listen(
      {
        imports: [locksOf([], { idempotency: ['uploads'] })],
        controllers: name === 'Express' ? [Uploads, Files] : [Uploads],
      },
      {
        adapter: adapter(),
        prepare: (made) => {
          if (name === 'Express') return;
          const fastify = made.getHttpAdapter().getInstance() as {
            addContentTypeParser(
              type: string,
              parse: (r: unknown, p: unknown, done: (e: null) => void) => void,
            ): void;
          };
          for (const type of ['multipart/form-data', 'application/octet-stream'])
            fastify.addContentTypeParser(type, (_request, _payload, done) => done(null));
        },
      },
    );
    const post = async (path: string, body: RequestInit['body'], headers: Record<string, string> = {}) => {
      const init = { method: 'POST', headers: { 'Idempotency-Key': 'key', ...headers }, body: body ?? null };
      const response = await fetch(`${url}/${path}`, init);
      return { status: response.status, text: await response.text(), header: response.headers };
    };
    return { post, app, log };
  };

  it.each<[string, (text: string) => RequestInit['body'], Record<string, string>]>([
    ['multipart', form, {}],
    ['of bytes', (text) => Buffer.from(text), { 'Content-Type': 'application/octet-stream' }],
  ])('refuses one that is %s with 415: nothing tells it from another one', async (_what, body, headers) => {
    const { post, app, log } = await uploads();
    for (const text of ['one', 'two']) {
      const { status, text: answer, header } = await post('plain', body(text), headers);
      expect([status, JSON.parse(answer)]).toMatchObject([415, { code: 'IDEMPOTENCY_PAYLOAD_UNREAD' }]);
      expect(header.get('content-type')).toMatch(/^application\/problem\+json/);
    }
    expect(app.get(Uploads).runs).toBe(0);
    expect(
      log.complaints.filter((line) => String(line).includes('give @Idempotent() a payload')),
    ).toHaveLength(1);
  });

  it('runs one whose payload is given, and refuses another one under its key', async () => {
    const { post } = await uploads();
    const send = async (text: string) => post('digest', form(text), { 'Content-Digest': text });
    expect([(await send('one')).text, (await send('one')).text]).toEqual(['{"run":1}', '{"run":1}']);
    expect((await send('two')).status).toBe(422);
  });

  it('runs what has no body', async () => {
    const { post } = await uploads();
    expect([(await post('plain', null)).text, (await post('plain', null)).text]).toEqual([
      '{"run":1}',
      '{"run":1}',
    ]);
  });

  if (name === 'Express') {
    it.each(['inner', 'outer'])(
      'never answers another file with the first: the interceptor is the %s one',
      async (path) => {
        const { post } = await uploads();
        for (const text of ['one', 'two']) expect((await post(path, form(text))).status).toBe(415);
      },
    );

    it('compares files that an outer interceptor has read', async () => {
      const { post } = await uploads();
      expect((await post('compared', form('one'))).text).toBe('one');
      expect((await post('compared', form('one'))).header.get('idempotent-replayed')).toBe('true');
      expect((await post('compared', form('two'))).status).toBe(422);
    });
  }
});
