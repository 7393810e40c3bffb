import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Param,
  Post,
  Scope,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type NestInterceptor,
} from '@nestjs/common';
import { currentLease, DistributedLock, LockKey } from 'nestjs-bedrock';
import { map, Observable, of } from 'rxjs';
import request from 'supertest';
import { bedrockOf, closeAll, locksOf, serve } from './app.js';

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
  inside = 0;
  most = 0;

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
    this.inside += 1;
    this.most = Math.max(this.most, this.inside);
    await new Promise((resolve) => setImmediate(resolve));
    this.inside -= 1;
    return { most: this.most };
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
    const { http } = await server();
    const responses = await Promise.all(Array.from({ length: 8 }, () => http.get('/orders/count')));
    expect(responses.map(({ body }) => body as unknown)).toEqual(Array(8).fill({ most: 1 }));
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
