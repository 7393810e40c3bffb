import type { Backend } from '../../../../core/ports/ports.js';
import { untilServing } from '../../../../runtime/until-serving.js';
import { ownProcessView } from '../../../kit/process-view.js';
import { SessionLockBackend } from '../../session-locks/session-lock-backend.js';
import { BACKEND } from '../connection/failures.js';
import { MysqlLinkFactory } from '../connection/mysql-link-factory.js';
import { resolveSessionOptions, type MysqlSessionOptions, type MysqlSettings } from '../mysql-options.js';
import { NAMED_LOCKS } from './named-locks.js';
import { MysqlSessionLeases } from './session-leases.js';
import { MysqlSessionLink } from './session-link.js';

/** So much longer than the longest lease the server keeps a session that says nothing, in s. */
const GRACE_S = 2;

/**
 * Mutexes that are named locks of the server (`GET_LOCK`). They need no table, and live as long as
 * the one session that holds them. There are no fencing tokens, no order between processes, and no
 * proxy in between may share sessions.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function mysqlSessions(options: string | MysqlSessionOptions): Backend {
  return new MysqlSessionBackend(resolveSessionOptions(options));
}

class MysqlSessionBackend extends SessionLockBackend {
  constructor(settings: MysqlSettings) {
    const { connection, clock, label, operationTimeoutMs, maxLeaseMs } = settings;
    // A process that is gone without a word, or stopped, keeps its locks until then: its leases have ended before.
    const lifeS = Math.ceil(maxLeaseMs / 1_000) + GRACE_S;
    const links = new MysqlLinkFactory(connection, clock, [`SET SESSION wait_timeout = ${lifeS}`]);
    const leases = new MysqlSessionLeases(() => session, ownProcessView(label), clock);
    const session: MysqlSessionLink = new MysqlSessionLink({
      links,
      clock,
      operationTimeoutMs,
      maxSilenceMs: maxLeaseMs,
      hasLocks: () => leases.isHolding,
      onEnd: () => this.sessionEnded(),
    });
    const ping = () => session.query('DO 1', [], () => undefined);
    super({
      ...{ name: BACKEND, settings, traits: { shared: false, fencing: false } },
      ...{ leases, serverLocks: NAMED_LOCKS, links, session, ping },
    });
  }

  ready(): Promise<void> {
    const { clock, operationTimeoutMs } = this;
    const isFinal = (): boolean => this.leases.isClosed;
    return untilServing({ clock, operationTimeoutMs, isFinal }, () => this.ping());
  }
}
