import {
  Catch,
  Controller,
  Get,
  Injectable,
  Param,
  ParseIntPipe,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { currentLease, DistributedLock, LockKey } from 'nestjs-bedrock';
import type { Observable } from 'rxjs';
import request from 'supertest';
import { closeAll, locksOf, serve } from './app.js';

afterEach(closeAll);

const seen: unknown[] = [];
const note = (place: string) => seen.push([place, currentLease()?.resource]);
beforeEach(() => seen.splice(0));

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
    expect(seen).toEqual([
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
    expect(seen.at(-1)).toEqual(['filter', 'shop:filter']);
  });

  it('leaves the locks of the handler alone; its key is what the pipes made of the parameter', async () => {
    const response = await (await shop()).get('/locked/007');
    expect(response.body).toEqual({ id: 7 });
    expect(seen.at(-1)).toEqual(['handler', 'shop:7']);
  });
});
