import {
  type ArgumentsHost,
  Body,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpCode,
  Injectable,
  type NestInterceptor,
  Param,
  ParseIntPipe,
  type PipeTransform,
  Post,
  Scope,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ExclusionChecker } from 'bedrock-testkit';
import { currentLease, DistributedLock, LockKey } from 'nestjs-bedrock';
import { map, Observable, of } from 'rxjs';
import request from 'supertest';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { bedrockOf, closeAll, locksOf, serve } from '../app.js';

afterEach(closeAll);

class Passing implements NestInterceptor {
  intercept(_context: unknown, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((value: object) => ({ ...value, intercepted: true })));
  }
}

@Injectable()
class Allowing implements CanActivate {
  @DistributedLock({ lock: 'order', key: 'guard' })
  async canActivate(): Promise<boolean> {
    return currentLease()?.resource === 'order:guard';
  }
}

const seen = () => ({ resource: currentLease()?.resource });

let belowRuns = 0;

@Controller('orders')
class Orders {
  readonly witness = new ExclusionChecker();

  @DistributedLock({ lock: 'order', key: '{0.id}' })
  @Post('above')
  @HttpCode(202)
  async above(@Body() _body: { id: number }) {
    return seen();
  }

  @Post('below')
  @HttpCode(202)
  @DistributedLock({ lock: 'order', key: '{0.id}' })
  async below(@Body() _body: { id: number }) {
    belowRuns += 1;
    return seen();
  }

  @UseInterceptors(Passing)
  @DistributedLock('order')
  @UseGuards(Allowing)
  @Get('parameter/:id')
  async parameter(@Param('id') @LockKey() _id: string) {
    return seen();
  }

  @Get('stream')
  @DistributedLock('order')
  stream(): Observable<object> {
    return of(0).pipe(map(seen));
  }

  @Get('busy')
  @DistributedLock({ lock: 'order', onBusy: ({ code }) => ({ code }) })
  async busy() {
    return seen();
  }

  @Get('count')
  @DistributedLock('order')
  async count() {
    await this.witness.run(() => new Promise((resolve) => setImmediate(resolve)));
    return seen();
  }
}

@Controller({ path: 'scoped', scope: Scope.REQUEST })
class Scoped {
  @Get()
  @DistributedLock('order')
  async get() {
    return seen();
  }
}

async function server() {
  const app = await serve({ imports: [locksOf(['order'])], controllers: [Orders, Scoped] });
  return { app, http: request(app.getHttpServer() as never) };
}

describe('@DistributedLock() on a controller', () => {
  it.each(['above', 'below'])('works %s the route decorators, which keep working', async (place) => {
    const { http } = await server();
    const response = await http.post(`/orders/${place}`).send({ id: 5 });
    expect(response.status).toBe(202);
    expect(response.body).toEqual({ resource: 'order:5' });
  });

  it('works with parameters, guards and interceptors', async () => {
    const { http } = await server();
    const response = await http.get('/orders/parameter/a:b');
    expect(response.body).toEqual({ resource: 'order:a%3Ab', intercepted: true });
  });

  it('works on a handler that returns an Observable', async () => {
    const { http } = await server();
    expect((await http.get('/orders/stream')).body).toEqual({ resource: 'order' });
  });

  it('works on a request-scoped controller', async () => {
    const { http } = await server();
    expect((await http.get('/scoped')).body).toEqual({ resource: 'order' });
  });

  it('lets one request in at a time', async () => {
    const { app, http } = await server();
    const responses = await Promise.all(Array.from({ length: 8 }, () => http.get('/orders/count')));
    expect(responses.map(({ body }) => body as unknown)).toEqual(Array(8).fill({ resource: 'order' }));
    expect(app.get(Orders).witness.assertExclusion().leases).toBe(8);
  });

  it('answers with onBusy when the lock is taken', async () => {
    const { app, http } = await server();
    await using _held = await bedrockOf(app).lock('order').acquire();
    expect((await http.get('/orders/busy')).body).toEqual({ code: 'LOCK_BUSY' });
  });

  it('refuses a request whose key is missing, without running the handler', async () => {
    const { http } = await server();
    const before = belowRuns;
    expect((await http.post('/orders/below').send({})).status).toBe(500);
    expect(belowRuns).toBe(before);
  });
});

const noted: unknown[] = [];
const note = (place: string) => noted.push([place, currentLease()?.resource]);
beforeEach(() => noted.splice(0));

@Injectable()
class Guard implements CanActivate {
  @DistributedLock({ lock: 'shop', key: 'guard' })
  async canActivate(): Promise<boolean> {
    note('guard');
    return true;
  }
}

@Injectable()
class Pipe implements PipeTransform {
  @DistributedLock({ lock: 'shop', key: '{0}' })
  async transform(value: unknown): Promise<unknown> {
    note('pipe');
    return value;
  }
}

@Injectable()
class Interceptor implements NestInterceptor {
  @DistributedLock({ lock: 'shop', key: 'interceptor' })
  intercept(_context: unknown, next: CallHandler): Observable<unknown> {
    note('interceptor');
    return next.handle();
  }
}

@Catch(TypeError)
class Filter implements ExceptionFilter {
  @DistributedLock({ lock: 'shop', key: 'filter' })
  async catch(error: Error, host: ArgumentsHost): Promise<void> {
    note('filter');
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { send(text: string): void } }>();
    response.status(418).send(error.message);
  }
}

@Controller()
class Shop {
  @Get('order/:id')
  async order(@Param('id', ParseIntPipe) _id: number): Promise<void> {
    note('handler');
  }

  @Get('locked/:id')
  @DistributedLock('shop')
  async locked(@Param('id', ParseIntPipe) @LockKey() id: number): Promise<unknown> {
    note('handler');
    return { id };
  }

  @Get('failing')
  async failing(): Promise<void> {
    throw new TypeError('no tea');
  }
}

async function shop() {
  const app = await serve({
    imports: [locksOf(['shop'])],
    controllers: [Shop],
    providers: [
      { provide: APP_GUARD, useClass: Guard },
      { provide: APP_PIPE, useClass: Pipe },
      { provide: APP_INTERCEPTOR, useClass: Interceptor },
      { provide: APP_FILTER, useClass: Filter },
    ],
  });
  return request(app.getHttpServer() as never);
}

describe('@DistributedLock() on what APP_GUARD and its like give to every handler', () => {
  it('locks guard, interceptor and pipe, each for as long as it works', async () => {
    expect((await (await shop()).get('/order/5')).status).toBe(200);
    expect(noted).toEqual([
      ['guard', 'shop:guard'],
      ['interceptor', 'shop:interceptor'],
      ['pipe', 'shop:5'],
      // An interceptor works until the handler has answered.
      ['handler', 'shop:interceptor'],
    ]);
  });

  it('locks a filter', async () => {
    const { status, text } = await (await shop()).get('/failing');
    expect({ status, text }).toEqual({ status: 418, text: 'no tea' });
    expect(noted.at(-1)).toEqual(['filter', 'shop:filter']);
  });

  it('leaves the locks of the handler alone; its key is what the pipes made of the parameter', async () => {
    const response = await (await shop()).get('/locked/007');
    expect(response.body).toEqual({ id: 7 });
    expect(noted.at(-1)).toEqual(['handler', 'shop:7']);
  });
});
