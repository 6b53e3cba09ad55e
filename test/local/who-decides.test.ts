import { describe, expect, it } from 'vitest';
import { whoDecides } from '../../src/local/who-decides.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

/** A repository whose settings have this email, or none. */
async function withEmail(email: string | undefined): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create({ 'a.txt': '' });
  await workspace.git('config', ...(email === undefined ? ['--unset', 'user.email'] : ['user.email', email]));
  return workspace;
}

describe('who decides', () => {
  it('is who is given, else the email in the settings of git, else the account', async () => {
    await using known = await withEmail('maria@example.test');
    await using unknown = await withEmail(undefined);
    await using blank = await withEmail(' ');
    const environment = plainEnvironment({ USER: 'maria' });
    expect(await whoDecides(known.root, environment, 'ann')).toBe('ann');
    expect(await whoDecides(known.root, environment, ' ')).toBe('maria@example.test');
    expect(await whoDecides(known.root, environment)).toBe('maria@example.test');
    expect(await whoDecides(unknown.root, environment)).toBe('maria');
    expect(await whoDecides(blank.root, environment)).toBe('maria');
    expect(await whoDecides(unknown.root, { ...environment, USER: '', USERNAME: 'Maria' })).toBe('Maria');
    expect(await whoDecides(unknown.root, { USER: 'maria', PATH: '/nowhere' })).toBe('maria');
  });

  it.each([
    { USER: 'root' },
    { USER: 'runner' },
    { USER: 'jenkins' },
    { USER: 'maria', CI: 'true' },
    { USER: '', USERNAME: 'SYSTEM' },
    { USER: '' },
  ])('is not told by an account that nobody, or everybody, stands behind: %j', async (more) => {
    await using known = await withEmail('maria@example.test');
    await using unknown = await withEmail(undefined);
    const environment = plainEnvironment(more);
    await expect(whoDecides(unknown.root, environment)).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN', fault: 'user' });
    expect(await whoDecides(unknown.root, environment, 'ann')).toBe('ann');
    expect(await whoDecides(known.root, environment)).toBe('maria@example.test');
  });
});
