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

/** What holder, contender and events tell about one long hold. Times count from the grant, in ms. */
export interface Observation {
  readonly renewals: number;
  readonly losses: number;
  /** The decorated method threw LockLostError instead of reporting success. */
  readonly isLossTold: boolean;
  /** How often `lease.isHeld` was asked, and how often it said yes. */
  readonly looks: number;
  readonly looksHeld: number;
  readonly contenderRefused: number;
  readonly contenderInAfterMs: number | undefined;
  /** When the holder looked for the last time, at the end of its work: nobody else may be in before. */
  readonly doneAfterMs: number;
}

/** How long the contender is waited for where it must get in, in ms: a busy machine may be slow, and a lock must not be. */
const GIVE_UP_MS = 10_000;

/** Lets one application hold the lock while another one tries for it. */
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
    // After a fixed lease the contender must get in while the work goes on.
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
  // Now that it is free, the contender must get in: so it was the hold that kept it out.
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
