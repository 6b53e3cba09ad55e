import { once } from 'node:events';
import { readFile, readlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { main } from '../../src/cli/main.ts';

/** Tells its process id, and carries out what it gets for it: a script that prints and ends as the command did. */
const CLIENT = '#!/bin/bash\nexec 9<>/dev/tcp/127.0.0.1/PORT\necho $$ >&9\neval "$(cat <&9)"\n';

/**
 * Writes a program `gateline` whose commands this process carries out, with the arguments, variables, folder and input of
 * the one that started it: to start Node takes longer than most commands. Linux only.
 */
export async function serveCommands(path: string): Promise<Disposable> {
  const server = createServer((socket) => {
    socket.once('data', (pid) => void runCommand(pid.toString().trim()).then((script) => socket.end(script)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await writeFile(path, CLIENT.replace('PORT', String(port)), { mode: 0o755 });
  return { [Symbol.dispose]: () => void server.close() };
}

async function runCommand(pid: string): Promise<string> {
  const client = `/proc/${pid}`;
  const list = async (name: string) => (await readFile(`${client}/${name}`, 'utf8')).split('\0').slice(0, -1);
  const [, , ...words] = await list('cmdline');
  const variables = (await list('environ')).map((line) => /^([^=]*)=(.*)$/s.exec(line)!.slice(1));
  let script = '';
  const screen = (number: 1 | 2) => ({
    write: (text: string) => void (script += `printf %s '${text.replaceAll("'", String.raw`'\''`)}' >&${number}\n`),
    ...{ isInteractive: false, hasColors: false, columns: undefined, rows: undefined },
  });
  const exit = await main({
    arguments: words,
    environment: Object.fromEntries(variables) as Record<string, string>,
    workingDirectory: await readlink(`${client}/cwd`),
    out: screen(1),
    err: screen(2),
    readStandardInput: () => readFile(`${client}/fd/0`),
    onInterrupt: () => ({ [Symbol.dispose]: () => undefined }),
  });
  return `${script}exit ${exit}\n`;
}
