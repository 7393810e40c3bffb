import {
  BadGatewayException,
  Body,
  ClassSerializerInterceptor,
  Controller,
  Header,
  HttpCode,
  NotFoundException,
  Post,
  Redirect,
  Res,
  StreamableFile,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import { Exclude } from 'class-transformer';
import { DistributedLock, Idempotent } from 'nestjs-bedrock';
import { Readable } from 'node:stream';
import { defer, of, throwError } from 'rxjs';
import {
  awaiting,
  Counts,
  defaulting,
  EverythingFilter,
  failing,
  impatient,
  NoMoney,
  queueing,
  translating,
} from './kiosk-interceptors.js';

interface Answering {
  readonly raw?: Answering;
  status(code: number): unknown;
  writeHead(status: number, headers?: Readonly<Record<string, string>>): unknown;
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
  write(part: string): unknown;
  end(part?: string): unknown;
}

class Card {
  constructor(
    readonly id: number,
    number: string,
  ) {
    this.number = number;
  }

  @Exclude()
  readonly number: string;
}

export const CARD = '4929 1234 5678 9012';

/** Answers in every way that a handler can. */
@Controller()
export class Kiosk {
  constructor(private readonly counts: Counts) {}

  @Post('card')
  @UseInterceptors(ClassSerializerInterceptor)
  @Idempotent('kiosk')
  async card() {
    return new Card((this.counts.runs += 1), CARD);
  }

  @Post('bare-card')
  @Idempotent('kiosk')
  async bareCard() {
    return new Card((this.counts.runs += 1), CARD);
  }

  @Post('guarded')
  @UseFilters(EverythingFilter)
  @Idempotent('kiosk')
  async guarded() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('defaulted')
  @Idempotent('kiosk')
  @UseInterceptors(defaulting)
  async defaulted() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('awaited')
  @Idempotent('kiosk')
  @UseInterceptors(awaiting)
  async awaited() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('list')
  @Idempotent('kiosk')
  async list(@Res({ passthrough: true }) answer: Answering) {
    answer.header('X-Total', '17');
    answer.header('Cache-Control', 'no-store');
    answer.header('Set-Cookie', 'session=secret');
    return [(this.counts.runs += 1)];
  }

  @Post('chosen')
  @Idempotent({ idempotency: 'kiosk', headers: ['X-Total'] })
  async chosen(@Res({ passthrough: true }) answer: Answering) {
    answer.header('X-Total', '17');
    answer.header('X-Other', '18');
    return [(this.counts.runs += 1)];
  }

  @Post('csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Idempotent('kiosk')
  async csv() {
    return `run;${(this.counts.runs += 1)}\n`;
  }

  @Post('bytes')
  @Idempotent('kiosk')
  async bytes(@Res() answer: Answering) {
    answer.header('Content-Type', 'application/octet-stream');
    answer.send(Buffer.from([0, 255, 254, (this.counts.runs += 1)]));
  }

  @Post('nothing')
  @HttpCode(204)
  @Idempotent('kiosk')
  async nothing() {
    this.counts.runs += 1;
  }

  @Post('undefined')
  @Idempotent('kiosk')
  async undefined() {
    this.counts.runs += 1;
  }

  @Post('redirect')
  @Redirect('/receipts', 303)
  @Idempotent('kiosk')
  async redirect() {
    return { url: `/receipts/${(this.counts.runs += 1)}` };
  }

  @Post('by-itself')
  @Idempotent('kiosk')
  async byItself(@Res() answer: Answering) {
    answer.status(202);
    answer.send({ run: (this.counts.runs += 1) });
    await this.counts.wait;
  }

  @Post('throws-later')
  @Idempotent('kiosk')
  async throwsLater(@Res() answer: Answering) {
    answer.status(202);
    answer.header('X-Total', '17');
    answer.send({ run: (this.counts.runs += 1) });
    throw new BadGatewayException('later');
  }

  @Post('cookie')
  @Idempotent({ idempotency: 'kiosk', headers: ['Set-Cookie'] })
  async cookie(@Res({ passthrough: true }) answer: Answering) {
    answer.header('Set-Cookie', `run=${(this.counts.runs += 1)}`);
    return 'a cookie';
  }

  @Post('circle')
  @Idempotent('kiosk')
  async circle() {
    const circle: { run: number; self?: unknown } = { run: (this.counts.runs += 1) };
    circle.self = circle;
    return circle;
  }

  @Post('broken-later')
  @UseInterceptors(failing(() => new BadGatewayException('later')))
  @Idempotent('kiosk')
  async brokenLater() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('missing-later')
  @UseInterceptors(failing(() => new NotFoundException('later')))
  @Idempotent('kiosk')
  async missingLater() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('unavailable')
  @Idempotent('kiosk')
  async unavailable(@Res({ passthrough: true }) answer: Answering) {
    answer.status(503);
    return { run: (this.counts.runs += 1) };
  }

  @Post('unavailable-file')
  @Idempotent('kiosk')
  async unavailableFile(@Res({ passthrough: true }) answer: Answering): Promise<unknown> {
    answer.status(503);
    return new StreamableFile(Readable.from([`{"run":${(this.counts.runs += 1)}}`]));
  }

  @Post('unavailable-parts')
  @Idempotent('kiosk')
  async unavailableParts(@Res() answer: Answering) {
    const raw = answer.raw ?? answer;
    raw.writeHead(429, { 'Retry-After': '1' });
    raw.write('{"run":');
    raw.end(`${(this.counts.runs += 1)}}`);
  }

  @Post('unavailable-later')
  @Idempotent('kiosk')
  async unavailableLater(@Res() answer: Answering) {
    const raw = answer.raw ?? answer;
    const run = (this.counts.runs += 1);
    raw.writeHead(503);
    setImmediate(() => {
      raw.write('{"run":');
      raw.end(`${run}}`);
    });
  }

  @Post('head')
  @Idempotent('kiosk')
  async head(@Res() answer: Answering) {
    const raw = answer.raw ?? answer;
    const body = `{"run":${(this.counts.runs += 1)}}`;
    raw.writeHead(202, { 'X-Total': '17', 'Content-Length': String(body.length) });
    raw.end(body);
  }

  @Post('poor')
  @Idempotent('kiosk')
  async poor() {
    throw new NoMoney(`run ${(this.counts.runs += 1)}`);
  }

  @Post('busy')
  @Idempotent('kiosk')
  @DistributedLock({ lock: 'till', waitMs: 0 })
  async busy() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('busy-in-other-words')
  @UseInterceptors(translating)
  @Idempotent('kiosk')
  @DistributedLock({ lock: 'till', waitMs: 0 })
  async busyInOtherWords() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('poor-in-other-words')
  @UseInterceptors(translating)
  @Idempotent({ idempotency: 'kiosk', storeIf: (error) => error instanceof NoMoney })
  async poorInOtherWords() {
    throw new NoMoney(`run ${(this.counts.runs += 1)}`);
  }

  @Post('queued')
  @UseInterceptors(queueing)
  @Idempotent('kiosk')
  async queued(@Body() _body: unknown, ...more: unknown[]) {
    return { run: (this.counts.runs += 1), more };
  }

  @Post('lazy')
  @Idempotent('kiosk')
  lazy(): Promise<unknown> {
    const query: PromiseLike<unknown> = {
      then: (done, failed) => Promise.resolve({ run: (this.counts.runs += 1) }).then(done, failed),
    };
    return query as Promise<unknown>;
  }

  @Post('observable')
  @Idempotent('kiosk')
  async observable(): Promise<unknown> {
    return defer(() => of({ run: (this.counts.runs += 1) }));
  }

  @Post('failing-observable')
  @Idempotent('kiosk')
  async failingObservable(): Promise<unknown> {
    return defer(() => throwError(() => new BadGatewayException(`run ${(this.counts.runs += 1)}`)));
  }

  @Post('slow')
  @UseInterceptors(impatient)
  @Idempotent('kiosk')
  async slow() {
    const run = (this.counts.runs += 1);
    await this.counts.wait;
    return { run };
  }

  @Post('waits')
  @Idempotent('kiosk')
  async waits() {
    const run = (this.counts.runs += 1);
    await this.counts.wait;
    return { run };
  }

  @Post('file')
  @Idempotent('kiosk')
  async file(): Promise<unknown> {
    this.counts.runs += 1;
    const parts = Array.from({ length: 64 }, (_, at) => Buffer.alloc(65_536, at));
    return new StreamableFile(Readable.from(parts));
  }

  @Post('parts')
  @Idempotent('kiosk')
  async parts(@Res() answer: Answering) {
    this.counts.runs += 1;
    const raw = answer.raw ?? answer;
    raw.write('one, ');
    raw.write('two, ');
    raw.end('three');
  }
}

@Controller()
@UseInterceptors(ClassSerializerInterceptor)
export class CardKiosk {
  constructor(private readonly counts: Counts) {}

  @Post('cards')
  @Idempotent('kiosk')
  async card() {
    return new Card((this.counts.runs += 1), CARD);
  }
}
