import { basename } from 'node:path';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import { parseSkill, type UaspSkill } from '../../formats/uasp/skill.ts';
import { MAX_SOURCE_BYTES } from '../../pipeline/yaml/read-source.ts';
import { readNamed } from '../../workspace/files/read-named.ts';

/**
 * Reads a skill of UASP.
 * @param path absolute
 * @param shown how messages name it. Default: `path`
 * @throws GatelineError `INPUT_INVALID`, `SKILL_INVALID`
 */
export async function readSkill(path: string, shown = path): Promise<UaspSkill> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readNamed(path, MAX_SOURCE_BYTES));
  } catch (cause) {
    throw new GatelineError('INPUT_INVALID', `${shown} cannot be read: ${messageOf(cause)}`, {
      hint: 'Name a file of UTF-8 text.',
      cause,
    });
  }
  return parseSkill(text, basename(path));
}
