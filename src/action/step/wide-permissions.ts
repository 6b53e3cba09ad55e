import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ActionInvocation } from '../invocation.ts';

/** Permissions with which a job can decide in a person's name, or start runs. */
const WIDE = ['actions', 'checks', 'statuses'] as const;

const permissions = z.union([z.string(), z.record(z.string(), z.unknown())]).optional();
const workflowSchema = z.object({
  permissions,
  jobs: z.record(z.string(), z.object({ permissions }).catch({})),
});

/**
 * Warns if the workflow gives the job of a gate a permission that an agent could misuse. GitHub does not say what a
 * token may do: only what the workflow file asks for is known, and nothing about a reusable workflow of another
 * repository or about the default of the repository.
 */
export async function warnOfPermissions({ world: { runner }, event }: ActionInvocation): Promise<void> {
  const text = await readFile(join(event.workspace, event.workflowFile.path), 'utf8').catch(() => '');
  // Nearly every workflow asks for none, and the parser takes a while to load.
  if (!/\bwrite(?:-all)?\b/.test(text)) return;
  const wide = await widePermissions(text, event.job);
  if (wide.length === 0) return;
  const names = wide.map((name) => `\`${name}: write\``).join(', ');
  const message = `The job of this gate has ${names}: its agent could approve its own output. Remove it from \`permissions:\`.`;
  runner.annotate('warning', message, { title: 'Wide permissions' });
}

/** The permissions of {@link WIDE} that a workflow gives a job. Never throws. */
export async function widePermissions(text: string, job: string): Promise<readonly string[]> {
  const { parseDocument } = await import('yaml');
  const read = workflowSchema.safeParse(parseDocument(text, { logLevel: 'silent' }).toJS());
  const given = read.data?.jobs[job]?.permissions ?? read.data?.permissions;
  if (typeof given === 'string') return given === 'write-all' ? WIDE : [];
  return WIDE.filter((name) => given?.[name] === 'write');
}
