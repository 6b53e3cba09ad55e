import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Order } from '../engine/ports.ts';
import { GatelineError, messageOf } from '../errors.ts';
import { createExcerpt, excerptSize, type Excerpt } from '../report/html/excerpt.ts';
import { PAGE_START, renderHtml } from '../report/html/page.ts';
import type { Part } from '../report/view.ts';
import { LogState } from '../run/state.ts';
import { shellWord } from '../untrusted/escape.ts';
import type { Folder } from './folder/folder.ts';
import { findAttempt, partDigests, readContent } from './parts.ts';
import { viewRun } from './folder/view-run.ts';

/** The parts of a unit that a page shows, in this order. */
const PARTS = ['output', 'learnings', 'stdout', 'stderr', 'request'] as const satisfies readonly Part[];

/** Renders a run as one page of HTML, with excerpts of its parts. @param run default: the newest */
export async function reportRun(folder: Folder, order: Order, run?: number): Promise<string> {
  const view = await viewRun(folder, order, run);
  const state = new LogState(order.pipeline, order.subject, await folder.log.read());
  const units = view.units.filter(({ attempts }) => attempts.length > 0);
  const maxBytes = excerptSize(units.length * PARTS.length);
  const excerpts = new Map<string, Excerpt[]>();
  for (const { key, attempts } of units) {
    const attempt = attempts.findLast(({ verdict }) => verdict !== undefined)?.n;
    const digests = partDigests(findAttempt(state, { unit: key, run: view.run, attempt }));
    const shown: Excerpt[] = [];
    for (const part of PARTS) {
      const digest = digests[part];
      if (digest === undefined) continue;
      const value = await readContent(folder, order, part, digest);
      const command = `gateline show ${shellWord(key)} ${part}${run === undefined ? '' : ` --run ${run}`}${view.target ?? ''}`;
      if (value === undefined)
        shown.push({ name: part, text: '', note: 'Missing or damaged: `gateline check` lists what is damaged' });
      else {
        const text = 'json' in value ? JSON.stringify(value.json, null, 2) : value.text;
        shown.push(createExcerpt(part, text, maxBytes, command));
      }
    }
    excerpts.set(key, shown);
  }
  return renderHtml({ view, now: folder.ports.clock.now().toISOString(), excerpts });
}

/** @throws GatelineError `usage` if a path holds something else than an earlier report */
export async function requireReportPath(path: string): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (existing === undefined || (existing.isFile() && existing.size === 0)) return;
  const text = existing.isFile() ? await readFile(path, 'utf8').catch(() => '') : '';
  // Git may have checked it out with CRLF.
  if (!text.slice(0, 1_000).replaceAll('\r\n', '\n').startsWith(PAGE_START))
    throw new GatelineError('usage', `${path} was not written by \`gateline report\``, {
      hint: '`--output` names another file.',
    });
}

/** Writes a report by temporary file and rename, which replaces a link instead of following it. */
export async function writeReport(path: string, html: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, html, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    throw new GatelineError('platform', `${path} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}
