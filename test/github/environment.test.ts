import { stat } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { parseFileCommand } from '../support/github/file-commands.ts';
import { startResultsService } from '../support/github/results-service.ts';
import { Clients, endClients } from './clients.ts';

afterAll(endClients);

describe('the environment of a job', () => {
  it('has the files through which a step tells outputs, state and summary, fresh for each step', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    await using clients = Clients.alone(job.env);
    await clients.call('core.setOutput', 'decision', 'run');
    await clients.call('core.setOutput', 'text', 'two\nlines=<<x');
    await clients.call('core.saveState', 'claim', { a: 1 });
    await clients.call('core.summary.addRaw', '# Title');
    await clients.call('core.summary.write');
    expect(await job.outputs()).toEqual({ decision: 'run', text: 'two\nlines=<<x' });
    expect(await job.state()).toEqual({ claim: '{"a":1}' });
    expect(await job.summary()).toBe('# Title');
    const next = await job.nextStep();
    expect(await next.outputs()).toEqual({});
    expect(next.env).toMatchObject({ GITHUB_RUN_ID: '1', ACTIONS_RUNTIME_TOKEN: job.env['ACTIONS_RUNTIME_TOKEN'] });
  });

  it('says what the run is, and is gone with the job', async () => {
    await using service = await startResultsService();
    const about = { event: 'pull_request', headBranch: 'topic', pullRequests: [7], headRepository: 'stranger/gates' };
    const job = await service.environmentFor({ run: 3, attempt: 2, job: 'build', about, baseBranch: 'release' });
    expect(job.env).toMatchObject({
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: service.origin,
      GITHUB_BASE_REF: 'release',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_HEAD_REF: 'topic',
      GITHUB_JOB: 'build',
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_REPOSITORY: 'octo/gates',
      GITHUB_RUN_ATTEMPT: '2',
      GITHUB_RUN_ID: '3',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_WORKFLOW_REF: 'octo/gates/.github/workflows/gates.yml@refs/pull/7/merge',
    });
    expect(job.env).not.toHaveProperty('GITHUB_TOKEN');
    expect(job.env).not.toHaveProperty('PATH');
    expect((await stat(job.workspace)).isDirectory()).toBe(true);
    await job[Symbol.asyncDispose]();
    await expect(stat(job.workspace)).rejects.toThrow('ENOENT');
  });
});

describe('a file command', () => {
  it('is a line, or lines up to a delimiter', () => {
    expect(parseFileCommand('a=1\nb<<END\nx=y\n\nEND\na=2\nc=<<\n')).toEqual({ a: '2', b: 'x=y\n', c: '<<' });
    expect(parseFileCommand('a=1\r\n')).toEqual({ a: '1' });
  });

  it('that the runner would not understand is an error', () => {
    expect(() => parseFileCommand('a<<END\nx\n')).toThrow('delimiter');
    expect(() => parseFileCommand('word\n')).toThrow('format');
  });
});
