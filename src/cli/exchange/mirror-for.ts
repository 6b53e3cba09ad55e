import { createMirror, type Mirror } from '../../local/exchange/mirror.ts';
import { MIRROR_FORMATS, type MirrorFormat } from '../../pipeline/job-settings.ts';
import { listOption, type CommandInvocation } from '../command.ts';
import type { OpenProject } from '../project/open.ts';
import { formatNamed } from './format-named.ts';

/** The mirror that `--mirror` or the definition asks for. @throws GatelineError `FORMAT_UNKNOWN` */
export function mirrorFor({ world, options }: CommandInvocation, opened: OpenProject): Mirror {
  const asked = listOption(options, 'mirror');
  for (const name of asked) formatNamed(name);
  const formats = asked.length > 0 ? (asked as readonly MirrorFormat[]) : (opened.loaded.pipeline.mirror ?? []);
  const { environment, onDurable } = world;
  const wanted = MIRROR_FORMATS.filter((name) => formats.includes(name));
  return createMirror(wanted, { ...opened, environment, ...(onDurable && { onDurable }) });
}
