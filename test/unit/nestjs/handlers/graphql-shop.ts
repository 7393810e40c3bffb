import { Injectable, UseGuards, type CanActivate } from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import {
  Args,
  Field,
  GraphQLModule,
  Int,
  Mutation,
  ObjectType,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import type { Mutex } from 'bedrock-lock';
import { currentLease, DistributedLock, InjectLock, type BedrockLockModuleOptions } from 'nestjs-bedrock';
import { request } from 'node:http';
import { defer, Observable } from 'rxjs';
import { bedrockOf, deferred } from '../app.js';
import { listen } from './server.js';
import { take, troubledLocks, Troubles } from './troubles.js';

@Injectable()
class Guard implements CanActivate {
  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async canActivate() {
    return true;
  }
}

@ObjectType()
class Shelf {
  @Field()
  name!: string;
}

async function depthsOf(lock: Mutex): Promise<number[]> {
  await lock.lock();
  await lock.lock();
  const depths = [lock.depth];
  await lock.unlock();
  await lock.unlock();
  return [...depths, lock.depth];
}

@Resolver()
class Shop {
  readonly seen: unknown[] = [];
  readonly begun = deferred();
  readonly work = deferred();

  constructor(
    @InjectLock('free') private readonly free: Mutex,
    private readonly troubles: Troubles,
  ) {}

  @DistributedLock({ lock: 'free', key: '{0}' })
  @Mutation(() => String)
  async above(@Args('id') _id: string) {
    return currentLease()?.resource;
  }

  @Mutation(() => String)
  @DistributedLock({ lock: 'free', key: '{0}' })
  async below(@Args('id') _id: string) {
    return currentLease()?.resource;
  }

  @Query(() => [Int])
  promise() {
    return depthsOf(this.free);
  }

  @Query(() => [Int])
  observable(): Observable<number[]> {
    return defer(() => depthsOf(this.free));
  }

  @Query(() => [Shelf])
  shelves(): Shelf[] {
    return [{ name: 'a' }, { name: 'b' }];
  }

  @Mutation(() => [Int])
  async left() {
    await this.free.lock();
    return [];
  }

  @Query(() => String, { nullable: true })
  trouble(@Args('name') name: string) {
    return this.troubles.raise(name);
  }

  @Query(() => String, { nullable: true })
  @UseGuards(Guard)
  guarded() {}

  @Mutation(() => String, { nullable: true })
  @DistributedLock({ lock: 'taken', waitMs: 60_000 })
  async wait() {
    this.seen.push('granted');
  }

  @Mutation(() => String, { nullable: true })
  @DistributedLock('free')
  async hold() {
    this.begun.open();
    await this.work.opened;
    this.seen.push(currentLease()?.signal.aborted);
  }

  @Subscription(() => [Int], { resolve: (value: number[]) => value })
  async *ticks() {
    yield await depthsOf(this.free);
    await this.free.lock();
    yield [this.free.depth];
  }

  @Subscription(() => String, { resolve: (value: string) => value })
  @DistributedLock('free')
  async *lockedTicks() {
    yield currentLease()?.resource;
    yield currentLease()?.resource;
  }
}

@Resolver(() => Shelf)
class Shelves {
  constructor(
    @InjectLock('free') private readonly free: Mutex,
    private readonly troubles: Troubles,
  ) {}

  /** Of all shelves at once: each has a flow of its own, or one would unlock what another has locked. */
  @ResolveField(() => [Int])
  async depths() {
    return depthsOf(this.free);
  }

  @ResolveField(() => String, { nullable: true })
  trouble() {
    return this.troubles.raise('LOCK_BUSY');
  }
}

export async function graphqlShop(options: Partial<BedrockLockModuleOptions> = {}) {
  const { app, url, port, log } = await listen({
    imports: [
      troubledLocks(options),
      GraphQLModule.forRoot<ApolloDriverConfig>({
        driver: ApolloDriver,
        autoSchemaFile: true,
        graphiql: false,
        includeStacktraceInErrorResponses: false,
        fieldResolverEnhancers: ['interceptors', 'guards', 'filters'],
        subscriptions: { 'graphql-ws': true },
      }),
    ],
    providers: [Shop, Shelves, Troubles],
  });
  await take(bedrockOf(app));
  const body = (query: string) => JSON.stringify({ query });
  const headers = { 'content-type': 'application/json' };
  return {
    app,
    url,
    port,
    log,
    bedrock: bedrockOf(app).bedrock(),
    resolver: app.get(Shop),
    async ask(query: string) {
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: body(query) });
      return (await response.json()) as {
        data?: unknown;
        errors?: { message: string; extensions: object }[];
      };
    },
    call(query: string) {
      const call = request({ host: '127.0.0.1', port, path: '/graphql', method: 'POST', headers });
      call.on('error', () => undefined);
      return call.end(body(query));
    },
  };
}
