import { join, resolve } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { formatNamed } from '../../formats/formats.ts';
import { exportedRun } from '../../local/exchange/exported-run.ts';
import { belowWorkspace, ignoreExported, namedFolder, writeExported } from '../../local/exchange/write-files.ts';
import { STATE_FOLDER } from '../../local/local-ports.ts';
import { count } from '../../report/text.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { openToLook } from '../project/open.ts';

/** `gateline export FORMAT`: writes a run as another system writes it. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const system = positionals[0]!;
  const format = formatNamed(system);
  const { call, loaded } = await openToLook(invocation);
  const { root } = loaded;
  const files = format.write(await exportedRun(call, call.journal.state(), loaded));
  const to = textOption(options, 'to');
  const target = to === undefined ? join(root, format.folder) : resolve(world.workingDirectory, to);
  const inside = belowWorkspace(root, target);
  if (inside?.split('/')[0] === STATE_FOLDER)
    throw new GatelineError('EXPORT_REFUSED', '.state has the files of Gateline itself', {
      hint: `Name another folder: \`gateline export ${system} --to DIR\`.`,
    });
  const folder =
    inside === undefined || inside === format.folder ? format : await namedFolder(root, inside, world.environment);
  const { environment, onDurable } = world;
  const temporaryFolder = join(root, STATE_FOLDER, 'tmp');
  const ignored =
    inside === undefined
      ? undefined
      : await ignoreExported(root, folder, files, environment, { temporaryFolder, onDurable });
  const place = inside === undefined ? { root: target, folder: '' } : { root, folder: inside };
  const { paths: written, notices } = await writeExported(
    { ...place, temporaryFolder, state: join(root, STATE_FOLDER), onDurable },
    files,
  );
  if (options['json']) {
    const names = files.map(({ path }) => path);
    printJson(world, {
      format: 'gateline-export/1',
      system,
      folder: target,
      files: names,
      written: [...written],
      notices: [...notices],
      ignored: ignored ?? null,
    });
    return EXIT_CODES.ok;
  }
  if (ignored !== undefined) say(world.err, `note: ${ignored} was added to .git/info/exclude, so that git ignores it`);
  for (const notice of notices) say(world.err, `note: ${notice}`);
  say(world.out, `${count(files.length, 'file')} in ${target}, ${written.length} of them changed`);
  return EXIT_CODES.ok;
}
