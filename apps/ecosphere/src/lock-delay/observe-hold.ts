import type { INestApplicationContext } from '@nestjs/common';
import { LockLostError } from 'bedrock-lock';
import { BedrockService } from 'nestjs-bedrock';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockDelayService, type LongWork } from './lock-delay.service.js';
import { Rival } from './rival.js';

export interface HoldOrder {
  readonly holder: INestApplicationContext;
  readonly rival: INestApplicationContext;
  readonly holdMs: number;
  readonly leaseMs: number;
  readonly isRenewed: boolean;
}

/** What holder, rival and events tell about one long hold. Times count from the grant, in ms. */
export interface Observation {
  readonly renewals: number;
  readonly losses: number;
  /** The decorated method threw LockLostError instead of reporting success. */
  readonly isLossTold: boolean;
  /** How often `lease.isHeld` was asked, and how often it said yes. */
  readonly looks: number;
  readonly looksHeld: number;
  readonly rivalRefused: number;
  readonly rivalInAfterMs: number | undefined;
  /** When the holder looked for the last time, at the end of its work: nobody else may be in before. */
  readonly doneAfterMs: number;
}

/** How long the rival is waited for where it must get in, in ms: a busy machine may be slow, and a lock must not be. */
const PATIENCE_MS = 10_000;

/** Lets one application hold the lock while another one tries for it. */
export async function observeHold(order: HoldOrder): Promise<Observation> {
  const { holder, holdMs, leaseMs, isRenewed } = order;
  const bedrock = holder.get(BedrockService).bedrock();
  const rival = new Rival(order.rival.get(BedrockService).lock('lock-delay'), leaseMs / 10);
  const seen = { renewals: 0, losses: 0, looks: 0, looksHeld: 0, heldAt: 0, lastLookAt: 0 };
  const stopCounting = [
    bedrock.on('lease.renewed', () => (seen.renewals += 1)),
    bedrock.on('lease.lost', () => (seen.losses += 1)),
  ];
  let trying: Promise<void> = Promise.resolve();
  const latest = performance.now() + PATIENCE_MS;
  const isLossTold = await work(holder.get(LockDelayService), isRenewed, {
    ms: holdMs,
    // After a fixed lease the rival must get in while the work goes on.
    goesOn: () => !isRenewed && rival.gotInAt === undefined && performance.now() < latest,
    onHeld() {
      seen.heldAt = performance.now();
      trying = rival.try();
    },
    onLook(isHeld) {
      seen.looks += 1;
      seen.lastLookAt = performance.now();
      if (isHeld) seen.looksHeld += 1;
    },
  });
  // Now that it is free, the rival must get in: so it was the hold that kept it out.
  await Promise.race([trying, sleep(PATIENCE_MS, undefined, { ref: false })]);
  rival.stop();
  await trying;
  for (const stop of stopCounting) stop();
  return {
    ...seen,
    isLossTold,
    rivalRefused: rival.refused,
    rivalInAfterMs: rival.gotInAt === undefined ? undefined : rival.gotInAt - seen.heldAt,
    doneAfterMs: seen.lastLookAt - seen.heldAt,
  };
}

/** @returns whether the caller was told that the lock had been lost */
async function work(service: LockDelayService, isRenewed: boolean, longWork: LongWork): Promise<boolean> {
  try {
    await (isRenewed ? service.work(longWork) : service.workOnFixedLease(longWork));
    return false;
  } catch (error) {
    if (error instanceof LockLostError) return true;
    throw error;
  }
}
