import { GatelineError } from '../errors/gateline-error.ts';
import { didYouMean } from '../pipeline/problem.ts';
import { isAgentFlowFile, readAgentFlow } from './agent-flow/read.ts';
import { writeAgentFlow } from './agent-flow/write.ts';
import { isDevLoopFile, LEFT_FOLDERS, readDevLoop } from './dev-loop/read.ts';
import { writeDevLoop } from './dev-loop/write.ts';
import type { FileFormat } from './exchange.ts';
import { isNexusFile, readNexus } from './nexus/read.ts';
import { writeNexus } from './nexus/write.ts';
import { guideSlugOf, isGuideFile, readStateGuide } from './state-guide/read.ts';
import { writeStateGuide } from './state-guide/write.ts';

/** The systems whose files can be read and written, by name. */
export const FORMATS: Readonly<Record<string, FileFormat>> = {
  'state-guide': {
    folder: '.state',
    ignore: '.state/',
    isKept: true,
    isKnown: isGuideFile,
    slugOf: guideSlugOf,
    read: readStateGuide,
    write: writeStateGuide,
  },
  'agent-flow': {
    folder: '.claude',
    ignore: '.claude/*.local.md',
    isKnown: isAgentFlowFile,
    read: readAgentFlow,
    write: writeAgentFlow,
  },
  'dev-loop': {
    folder: '.devloop',
    ignore: '.devloop/',
    isKnown: isDevLoopFile,
    left: LEFT_FOLDERS,
    read: readDevLoop,
    write: writeDevLoop,
  },
  nexus: {
    folder: '.claude/skills/nexus/history',
    ignore: '.claude/skills/nexus/history/',
    isKnown: isNexusFile,
    read: readNexus,
    write: writeNexus,
  },
};

/** Whether a path of the workspace is that of a file that these systems write. */
export function isWrittenBy(systems: readonly string[], path: string): boolean {
  return systems.some((name) => {
    const { folder, isKnown } = FORMATS[name]!;
    return path.startsWith(`${folder}/`) && isKnown(path.slice(folder.length + 1));
  });
}

/** The format of a system. @throws GatelineError `FORMAT_UNKNOWN` */
export function formatNamed(name: string): FileFormat {
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name]!;
  const names = Object.keys(FORMATS);
  if (name === 'uasp')
    throw new GatelineError('FORMAT_UNKNOWN', 'a skill of UASP is a definition, not the files of a run', {
      hint: 'Use `gateline entities import --from FILE` and `gateline entities export`.',
    });
  const meant = didYouMean(name, names);
  throw new GatelineError('FORMAT_UNKNOWN', `there is no format ${name}${meant === undefined ? '' : `; ${meant}`}`, {
    hint: `Formats: ${names.join(', ')}.`,
  });
}
