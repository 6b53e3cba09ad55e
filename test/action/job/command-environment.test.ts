import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { describe, expect, it } from 'vitest';
import { commandEnvironment, jobTokens } from '../../../src/action/job/command-environment.ts';
import { createRedactor } from '../../../src/untrusted/redact.ts';
import { startResultsService } from '../../support/github/results-service.ts';

describe('the environment of a command', () => {
  it('is that of a run step of the same job, but for files of its own', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'design', cacheMode: 'read' });
    const shared = {
      PATH: process.env['PATH']!,
      API_KEY: 'x',
      ACTIONS_ID_TOKEN_REQUEST_URL: 'https://id',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 't',
      ACTIONS_ORCHESTRATION_ID: 'o',
      ACTIONS_STEP_DEBUG: 'true',
    };
    const runStep = Object.fromEntries(
      Object.entries({ ...job.env, ...shared }).filter(([name]) => !/^ACTIONS_(?:RUNTIME|RESULTS|CACHE)_/.test(name)),
    );
    const action = {
      ...job.env,
      ...shared,
      GITHUB_ACTION_REPOSITORY: 'octo/gateline',
      GITHUB_ACTION_REF: 'v1',
      INPUT_RUN: 'env',
      'INPUT_GITHUB-TOKEN': job.token,
      STATE_started: 'true',
    };
    expect(Object.keys(action).length - Object.keys(runStep).length).toBeGreaterThan(6);
    const { environment, folder } = await commandEnvironment(action, job.temp);
    const dump = JSON.parse(
      execFileSync(process.execPath, ['-p', 'JSON.stringify(process.env)'], {
        env: environment,
        encoding: 'utf8',
      }),
    ) as Record<string, string>;
    const own = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'];
    for (const name of own) {
      expect(dump[name]!.startsWith(folder)).toBe(true);
      expect(dump[name]).not.toBe(runStep[name]);
      expect(readFileSync(dump[name]!, 'utf8')).toBe('');
      if (platform() !== 'win32') expect(statSync(dump[name]!).mode & 0o077).toBe(0);
    }
    const others = (variables: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(variables).filter(([name]) => !own.includes(name)));
    expect(others(dump)).toEqual(others(runStep));
    expect(dump['GITHUB_ENV']).toBe(job.env['GITHUB_ENV']);
    expect(JSON.stringify(dump)).not.toContain(job.token);
  });

  it('has files of its own for each command', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'design' });
    const [one, other] = [await commandEnvironment({}, job.temp), await commandEnvironment({}, job.temp)];
    expect(one.environment['GITHUB_OUTPUT']).not.toBe(other.environment['GITHUB_OUTPUT']);
  });

  it('is none where there is no folder for its files', async () => {
    await expect(commandEnvironment({}, '/nowhere/at/all')).rejects.toMatchObject({
      code: 'TEMP_UNWRITABLE',
      fault: 'platform',
    });
  });
});

describe('the tokens of a job', () => {
  const secretsOf = (environment: Record<string, string>, token?: string) => jobTokens(environment, token);

  it('are those of the action, of the runner and of the step, as they are and as git sends them', () => {
    const [own, runtime, other] = ['a'.repeat(20), 'b'.repeat(20), 'c'.repeat(20)];
    const environment = {
      ACTIONS_RUNTIME_TOKEN: runtime,
      GH_TOKEN: other,
      GITHUB_TOKEN: 'dummy',
      HOME: 'x'.repeat(30),
    };
    expect(Object.values(secretsOf(environment, ` ${own}\n`)).toSorted()).toEqual([
      own,
      runtime,
      other,
      ...[own, runtime, other].map((token) => `x-access-token:${token}`),
    ]);
    expect(secretsOf({}, '')).toEqual({});
  });

  it('are found in lines of base64, as git and people write them', () => {
    const token = Array.from({ length: 520 }, (_, at) => 'abcdefghijklmnopqrstuvwxyz0123456789'[(at * 7) % 36]).join(
      '',
    );
    const { redactText } = createRedactor({ secrets: secretsOf({}, token) });
    const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
    const lines = basic.replace(/.{76}/g, '$&\n');
    for (const text of [`AUTHORIZATION: basic ${basic}`, basic, lines]) {
      const left = redactText(text).replace('AUTHORIZATION: basic ', '');
      expect(left.replaceAll(/[*\n]/g, '').length).toBeLessThan(24);
    }
  });
});
