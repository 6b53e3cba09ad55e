import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getOctokit } from '@actions/github';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeStickyComment, type StickyComment } from '../../../src/action/report/sticky-comment.ts';
import { Github } from '../../../src/github/octokit.ts';
import { renderRunningComment } from '../../../src/report/github/comment.ts';
import { contextOf } from '../../report/github/support.ts';

interface Comment {
  id: number;
  user: { login: string } | null;
  body: string;
  html_url: string;
}

const BOT = 'github-actions[bot]';
const bodyOf = (runId: number, pipeline = 'web', runAttempt = 1) =>
  renderRunningComment({ pipeline, subject: 'pr-42' }, contextOf({ runId, runAttempt }));

/** GitHub's routes for comments of issue 42: pages of 100, GraphQL's viewer, and failures by method. */
class Comments {
  readonly list: Comment[] = [];
  readonly requests: string[] = [];
  viewer: string | undefined = BOT;
  failures: Record<string, number[]> = {};
  #server: Server | undefined;

  add(body: string, login: string | null = BOT): Comment {
    const id = this.list.length + 1;
    const comment = { id, user: login === null ? null : { login }, body, html_url: `https://github.com/c/${id}` };
    this.list.push(comment);
    return comment;
  }

  async start(): Promise<string> {
    this.#server = createServer((request, response) => {
      void this.#answer(request, response);
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const method = pathname === '/graphql' ? 'QUERY' : request.method!;
    this.requests.push(method);
    const status = this.failures[method]?.shift() ?? 200;
    const page = Number(searchParams.get('page') ?? 1);
    const next = `<http://${request.headers.host}${pathname}?per_page=100&page=${page + 1}>; rel="next"`;
    const link = method === 'GET' && page * 100 < this.list.length ? { link: next } : {};
    response.writeHead(status, { 'content-type': 'application/json', ...link });
    response.end(JSON.stringify(status === 200 ? this.#carryOut(method, pathname, sent, page) : { message: 'no' }));
  }

  #carryOut(method: string, pathname: string, sent: string, page: number): unknown {
    if (method === 'QUERY') return this.viewer ? { data: { viewer: { login: this.viewer } } } : { errors: [] };
    if (method === 'GET') return this.list.slice((page - 1) * 100, page * 100);
    const { body } = JSON.parse(sent) as { body: string };
    if (method === 'POST') return this.add(body);
    return Object.assign(
      this.list.find(({ id }) => pathname.endsWith(`/comments/${id}`))!,
      { body },
    );
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

let comments: Comments;
let baseUrl: string;
beforeEach(async () => {
  comments = new Comments();
  baseUrl = await comments.start();
});
afterEach(() => comments.stop());

function write(body: string): Promise<StickyComment> {
  const open = () => Promise.resolve(getOctokit('token', { baseUrl }));
  return writeStickyComment(new Github('octo/web', open, () => {}), 42, body);
}

describe('the comment on a pull request', () => {
  it('is created once, then updated, and never by an earlier run', async () => {
    comments.add('a person says hello', 'octocat');
    expect(await write(bodyOf(9))).toEqual({ choice: 'created', url: 'https://github.com/c/2' });
    expect(await write(bodyOf(10))).toMatchObject({ choice: 'updated', url: 'https://github.com/c/2' });
    expect(await write(bodyOf(9))).toMatchObject({ choice: 'kept' });
    expect(await write(bodyOf(10, 'web', 2))).toMatchObject({ choice: 'updated' });
    expect(await write(bodyOf(10, 'other'))).toMatchObject({ choice: 'created' });
    expect(comments.list.map(({ body }) => body)).toEqual([
      'a person says hello',
      bodyOf(10, 'web', 2),
      bodyOf(10, 'other'),
    ]);
  });

  it('is found among many, also by an app, and is never the one of somebody else', async () => {
    for (let n = 0; n < 250; n += 1) comments.add(bodyOf(99), n % 2 === 0 ? 'octocat' : null);
    comments.add(`> quoted\n${bodyOf(99)}`, 'my-app[bot]');
    const { id } = comments.add(bodyOf(3).replaceAll('\n', '\r\n'), 'my-app[bot]');
    comments.viewer = 'my-app[bot]';
    expect(await write(bodyOf(9))).toMatchObject({ choice: 'updated', url: `https://github.com/c/${id}` });
    comments.viewer = undefined;
    expect(await write(bodyOf(9))).toMatchObject({ choice: 'created' });
  });

  it.each([
    ['names the permission that lacks', { POST: [403] }, /pull-requests: write/],
    ['does not write twice after an answer that failed', { POST: [502] }, /githubstatus/],
    ['reads again what failed once', { GET: [502] }, undefined],
  ])('%s', async (_, failures: Record<string, number[]>, hint) => {
    comments.failures = failures;
    const result = write(bodyOf(9));
    if (hint)
      await expect(result).rejects.toMatchObject({ fault: 'platform', hint: expect.stringMatching(hint) as string });
    else expect(await result).toMatchObject({ choice: 'created' });
    expect(comments.requests.filter((method) => method === 'POST')).toEqual(['POST']);
  });
});
