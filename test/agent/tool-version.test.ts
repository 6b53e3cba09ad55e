import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { toolVersion } from '../../src/agent/process/tool-version.ts';
import { isRunning, testAttempt } from './attempt.ts';

describe('the version of a tool', () => {
  it('is what its command prints, else what it complains', async () => {
    const where = { workingDirectory: '.' };
    expect(await toolVersion('echo " 1.2 "', where)).toBe('1.2');
    expect(await toolVersion('echo 1.3 >&2', where)).toBe('1.3');
    await expect(toolVersion('echo no such thing >&2; exit 3', where)).rejects.toMatchObject({
      code: 'TOOL_MISSING',
      message: expect.stringContaining('does not print a version: no such thing') as string,
    });
    await expect(toolVersion('exit 4', where)).rejects.toThrow('it ended with 4');
  });

  it('is given up when nobody wants it any more, and what the command started is gone', async () => {
    await using attempt = await testAttempt();
    const file = join(attempt.directory, 'pid');
    const stop = new AbortController();
    const asked = toolVersion(`sleep 600 & echo $! > '${file}'; wait`, {
      workingDirectory: attempt.directory,
      signal: stop.signal,
    });
    const refused = expect(asked).rejects.toMatchObject({ code: 'TOOL_MISSING' });
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(5);
    stop.abort();
    await refused;
    const pid = Number(readFileSync(file, 'utf8'));
    while (await isRunning(pid)) await sleep(5);
  });
});
