import { z } from 'zod';
import { digestSchema } from '../../json/digest.ts';
import { ID_PATTERN } from '../../pipeline/pipeline.ts';

const count = z.int().min(1).max(9_999);
const counts = z.record(z.string().regex(ID_PATTERN), count);
/** The end of an attempt in the run that is resumed, by the digest of its record. */
const end = z.strictObject({ unit: z.string().min(1).max(200), digest: digestSchema });

/**
 * The work that a run on GitHub does again, from the event that started it. No job can change the event, so its counts
 * limit the loops, and its digests say which records of the resumed run are used.
 */
export const givenReworkSchema = z.strictObject({
  /** How many runs of this chain were started to do work again, this one included. */
  count,
  /** The gate that does its work again. */
  target: z.string().regex(ID_PATTERN),
  /** By gate that did its work again in this chain: which time this is. */
  iterations: counts,
  /** How often each gate or group sent work back in this chain. */
  sent: counts,
  /** The outputs that failed. */
  from: z.array(end).min(1).max(1_000),
  /** Attempts whose files the target starts from: its own that was sent back, then those of the gates after it. */
  over: z.array(end).min(1).max(1_000),
});

/** The work that a run on GitHub does again. */
export type GivenRework = z.infer<typeof givenReworkSchema>;
