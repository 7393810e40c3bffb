import {
  Catch,
  Controller,
  Get,
  Injectable,
  UseGuards,
  UsePipes,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  Module,
  type PipeTransform,
  type Type,
  type MiddlewareConsumer,
  type NestMiddleware,
  type Provider,
  Query,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { LockBusyError, LockError, LockWaitTimeoutError, type Mutex } from 'bedrock-lock';
import { DistributedLock, InjectLock, type LockInterceptorOptions } from 'nestjs-bedrock';
import { bedrockOf, locksOf } from '../app.js';
import { ADAPTERS, closeServers, listen } from './server.js';
import { IN_USE, SOON } from './troubles.js';

afterEach(closeServers);

@Injectable()
class Guard implements CanActivate {
  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async canActivate() {
    return true;
  }
}

@Injectable()
class Unlockable implements CanActivate {
  @DistributedLock({ lock: 'free', key: '{0.nothing}' })
  async canActivate(_context: unknown) {
    return true;
  }
}

@Injectable()
class Pipe implements PipeTransform {
  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async transform(value: unknown) {
    return value;
  }
}

@Injectable()
class Door {
  constructor(@InjectLock('taken') private readonly lock: Mutex) {}

  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async decorated(): Promise<void> {}

  async handMade(): Promise<void> {
    await this.lock.run(() => undefined, { waitMs: 0 });
  }
}

/** Middleware that passes errors on, as Express asks for, and one that throws them, as Nest allows. */
@Injectable()
class Doorkeeper implements NestMiddleware {
  constructor(private readonly door: Door) {}

  async use(request: { originalUrl: string }, _response: unknown, next: (error?: unknown) => void) {
    const lock = request.originalUrl.includes('decorated') ? 'decorated' : 'handMade';
    if (request.originalUrl.includes('thrown')) return this.door[lock]().then(() => next());
    return this.door[lock]().then(() => next(), next);
  }
}

@Controller()
class Handlers {
  @Get('guard')
  @UseGuards(Guard)
  guard() {}

  @Get('pipe')
  @UsePipes(Pipe)
  pipe(@Query('id') _id: string) {}

  @Get('door')
  door() {}

  @Get('mistake')
  @UseGuards(Unlockable)
  mistake() {}
}

class Recording implements ExceptionFilter {
  static seen: unknown[] = [];

  catch(error: unknown, host: ArgumentsHost) {
    Recording.seen.push(error);
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { send(body: object): void } }>();
    response.status(418).send({ own: true });
  }
}

@Catch()
class OfEverything extends Recording {}

@Catch(Error)
class OfErrors extends Recording {}

@Catch(LockError)
class OfLockErrors extends Recording {}

@Catch(LockBusyError)
class OfBusyLocks extends Recording {}

@Catch(LockWaitTimeoutError)
class OfTimeouts extends Recording {}

@Catch(LockWaitTimeoutError, LockBusyError)
class OfTwoLockErrors extends Recording {}

@Catch(RangeError)
class OfOthers extends Recording {}

describe.each(ADAPTERS)('on %s', (_name, adapter) => {
  async function served(
    interceptor: boolean | LockInterceptorOptions = true,
    providers: Provider[] = [],
    modules: Type[] = [],
  ) {
    const metadata = {
      imports: [locksOf(['taken', 'free'], { interceptor }), ...modules],
      controllers: [Handlers],
      providers,
    };
    const { app, url, log } = await listen(metadata, { adapter: adapter() });
    await bedrockOf(app).lock('taken').acquire({ renew: false, leaseMs: 900 });
    const get = async (path: string) => {
      const response = await fetch(`${url}/${path}`);
      const retryAfter = response.headers.get('retry-after');
      return { status: response.status, retryAfter, body: (await response.json()) as object };
    };
    return { get, log };
  }

  const BUSY = {
    status: 409,
    retryAfter: SOON,
    body: { statusCode: 409, error: 'Conflict', message: IN_USE, code: 'LOCK_BUSY' },
  };
  const UNKNOWN = {
    status: 500,
    retryAfter: null,
    body: { statusCode: 500, message: 'Internal server error' },
  };

  it.each(['guard', 'pipe'])('a lock error of a %s is answered like that of a handler', async (path) => {
    const { get, log } = await served();
    expect(await get(path)).toEqual(BUSY);
    expect(log.complaints).toEqual([]);
  });

  it.each(['decorated', 'handMade', 'decorated,thrown', 'handMade,thrown'])(
    'also that of middleware: %s',
    async (how) => {
      class Doors {
        configure(consumer: MiddlewareConsumer): void {
          consumer.apply(Doorkeeper).forRoutes('door');
        }
      }
      Module({ providers: [Door] })(Doors);
      const { get, log } = await served(true, [], [Doors]);
      expect(await get(`door?how=${how}`)).toEqual(BUSY);
      expect(log.complaints).toEqual([]);
    },
  );

  it('also that of a global guard', async () => {
    const { get } = await served(true, [{ provide: APP_GUARD, useClass: Guard }]);
    expect(await get('mistake')).toEqual(BUSY);
  });

  it('a mistake in the code is left to Nest', async () => {
    const { get, log } = await served();
    expect(await get('mistake')).toEqual(UNKNOWN);
    expect(log.complaints).toEqual([expect.objectContaining({ code: 'INVALID_OPTION' })]);
  });

  it.each([false, { mapErrors: false }])('nothing is mapped with interceptor: %j', async (interceptor) => {
    const { get, log } = await served(interceptor);
    expect(await get('guard')).toEqual(UNKNOWN);
    expect(log.complaints).toEqual([expect.objectContaining({ code: 'LOCK_BUSY' })]);
  });

  it.each([
    ['everything', { useClass: OfEverything }],
    ['errors', { useClass: OfErrors }],
    ['lock errors', { useValue: new OfLockErrors() }],
    ['one kind of lock errors', { useClass: OfBusyLocks }],
    ['two kinds of lock errors', { useValue: new OfTwoLockErrors() }],
    ['what its factory says', { useFactory: () => new OfEverything() }],
  ])('a global filter of the application for %s comes first', async (_what, filter) => {
    Recording.seen = [];
    const { get } = await served(true, [{ provide: APP_FILTER, ...filter } as Provider]);
    expect(await get('guard')).toEqual({ status: 418, retryAfter: null, body: { own: true } });
    expect(Recording.seen).toEqual([expect.objectContaining({ code: 'LOCK_BUSY' })]);
  });

  it('a global filter for one kind of lock errors leaves the others to the module', async () => {
    Recording.seen = [];
    const { get } = await served(true, [{ provide: APP_FILTER, useClass: OfTimeouts }]);
    expect(await get('guard')).toEqual(BUSY);
    expect(Recording.seen).toEqual([]);
  });

  it('a global filter for other errors changes nothing', async () => {
    const { get } = await served(true, [{ provide: APP_FILTER, useClass: OfOthers }]);
    expect(await get('guard')).toEqual(BUSY);
  });
});
