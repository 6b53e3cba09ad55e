import type { FileFormat } from './exchange.ts';
import { isNexusFile, readNexus } from './nexus/read.ts';
import { writeNexus } from './nexus/write.ts';

/** The systems whose files can be read and written, by name. */
export const FORMATS: Readonly<Record<string, FileFormat>> = {
  nexus: {
    folder: '.claude/skills/nexus/history',
    ignore: '.claude/skills/nexus/history/',
    isKnown: isNexusFile,
    read: readNexus,
    write: writeNexus,
  },
};
