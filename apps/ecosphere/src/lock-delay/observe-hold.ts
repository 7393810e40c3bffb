import type { INestApplicationContext } from '@nestjs/common';
import { LockLostError } from 'bedrock-lock';
import { BedrockService } from 'nestjs-bedrock';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockDelayService, type LongWork } from './lock-delay.service.js';
import { Contender } from './contender.js';

export interface HoldInput {
  readonly holder: INestApplicationContext;
  readonly contender: INestApplicationContext;
  readonly holdMs: number;
  readonly leaseMs: number;
  readonly isRenewed: boolean;
}

/** Observations of holder, contender and events during one long hold. Times count from the grant, in ms. */
export interface Observation {
  readonly renewals: number;
  readonly losses: number;
  /** True if the decorated method threw LockLostError instead of reporting success. */
  readonly isLossTold: boolean;
  /** Number of checks of `lease.isHeld`, and number of positive ones. */
  readonly looks: number;
  readonly looksHeld: number;
  readonly contenderRefused: number;
  readonly contenderInAfterMs: number | undefined;
  /** Time of the holder's last check, at the end of its work: no other caller may get the lock before. */
  readonly doneAfterMs: number;
}

/** How long a contender that must get the lock is awaited, in ms. A busy machine may be slow, a lock may not. */
const GIVE_UP_MS = 10_000;

/** One application holds the lock while another tries for it. */
export async function observeHold(input: HoldInput): Promise<Observation> {
  const { holder, holdMs, leaseMs, isRenewed } = input;
  const bedrock = holder.get(BedrockService).bedrock();
  const contender = new Contender(input.contender.get(BedrockService).lock('lock-delay'), leaseMs / 10);
  const seen = { renewals: 0, losses: 0, looks: 0, looksHeld: 0, heldAt: 0, lastLookAt: 0 };
  const stopCounting = [
    bedrock.on('lease.renewed', () => (seen.renewals += 1)),
    bedrock.on('lease.lost', () => (seen.losses += 1)),
  ];
  let trying: Promise<void> = Promise.resolve();
  const latest = performance.now() + GIVE_UP_MS;
  const isLossTold = await work(holder.get(LockDelayService), isRenewed, {
    ms: holdMs,
    // After a fixed lease, the contender must get the lock during the work.
    goesOn: () => !isRenewed && contender.gotInAt === undefined && performance.now() < latest,
    onHeld() {
      seen.heldAt = performance.now();
      trying = contender.try();
    },
    onLook(isHeld) {
      seen.looks += 1;
      seen.lastLookAt = performance.now();
      if (isHeld) seen.looksHeld += 1;
    },
  });
  // The lock is free now, so the contender must get it: this proves that the hold kept it out.
  await Promise.race([trying, sleep(GIVE_UP_MS, undefined, { ref: false })]);
  contender.stop();
  await trying;
  for (const stop of stopCounting) stop();
  return {
    ...seen,
    isLossTold,
    contenderRefused: contender.refused,
    contenderInAfterMs: contender.gotInAt === undefined ? undefined : contender.gotInAt - seen.heldAt,
    doneAfterMs: seen.lastLookAt - seen.heldAt,
  };
}

/** @returns whether the caller learned that the lock had been lost */
async function work(service: LockDelayService, isRenewed: boolean, longWork: LongWork): Promise<boolean> {
  try {
    await (isRenewed ? service.work(longWork) : service.workOnFixedLease(longWork));
    return false;
  } catch (error) {
    if (error instanceof LockLostError) return true;
    throw error;
  }
}
