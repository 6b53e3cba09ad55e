import { z } from 'zod';

/**
 * One version of a file in a snapshot: git's mode and blob id (`100644 8f3a…`), or, for a file that is not stored
 * (too large, ignored, unreadable), a text that changes whenever the file does. `null`: there is no file.
 */
export type FileVersion = string;
const version = z.string().min(1).max(400);

/** A change of one path. `ignored`: it left the snapshot because git ignores it now; the file is still there. */
export const fileChangeSchema = z.strictObject({
  path: z.string().min(1).max(4_096),
  before: version.nullable(),
  after: version.nullable(),
  ignored: z.literal(true).optional(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

/** A file that a unit made: before it first touched it, the versions that its attempts found, and what it left. */
export const gateFileSchema = z.strictObject({
  base: version.nullable(),
  found: z.array(version.nullable()),
  after: version.nullable(),
});
export type GateFile = z.infer<typeof gateFileSchema>;
export const gateFilesSchema = z.record(z.string(), gateFileSchema);
/** The files of a unit, by path: all its attempts together, as far as they are as it left them. */
export type GateFiles = z.infer<typeof gateFilesSchema>;
