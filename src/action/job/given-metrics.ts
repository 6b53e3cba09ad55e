import type { AgentFile } from '../../agent/attempt-files.ts';
import { textFile } from '../../agent/other-files.ts';
import { readPlainFile } from '../../agent/process/read-plain-file.ts';
import { messageOf } from '../../errors/gateline-error.ts';
import { placeInside, type OutputFile } from './output-file.ts';

/**
 * The input `metrics`: JSON, or the path of a file. An agent's own action may have chosen the path, so the file must be
 * where an output may be. Never throws: metrics fail no gate.
 */
export async function readGivenMetrics({ path: given, ...places }: OutputFile, limit: number): Promise<AgentFile> {
  const text = given.trim();
  if (/^[[{]/.test(text)) return textFile(text, limit);
  try {
    const place = await placeInside({ ...places, path: text });
    if (place === undefined) return { state: 'refused', why: 'the file is outside the workspace and RUNNER_TEMP' };
    const file = await readPlainFile(place, limit);
    return file.state === 'absent' ? { state: 'refused', why: 'there is no such file' } : file;
  } catch (error) {
    return { state: 'refused', why: messageOf(error) };
  }
}
