import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { images } from '../../tools/start/infra/versions.ts';
import { root } from './manifest-settings.ts';
import { composeIn } from './rendered-manifests.ts';

/**
 * The script of backups, with stand-ins for the tools of MongoDB that keep what they were told: no registry that was tried has
 * the real ones (docs/backup.md).
 */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backup-'));
  writeFileSync(join(folder, 'url'), 'mongodb://backup:secret@mongodb\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

const standIn = (exitCode: number) => `#!/bin/bash
echo "$(basename "$0") $*" >> ${folder}/said
while [ $# -gt 0 ]; do
  if [ "$1" = --config ]; then cp "$2" ${folder}/config; fi
  if [[ "$1" = --archive=* ]] && [ "$(basename "$0")" = mongodump ]; then echo dump > "\${1#--archive=}"; fi
  shift
done
exit ${exitCode}
`;

function run(args: string[], exitCode = 0) {
  for (const tool of ['mongodump', 'mongorestore'])
    writeFileSync(join(folder, tool), standIn(exitCode), { mode: 0o755 });
  const kept = join(folder, 'kept');
  spawnSync('mkdir', ['-p', kept]);
  const { status, stdout } = spawnSync('bash', [join(root, 'k8s/chart/files/backup.sh'), ...args], {
    encoding: 'utf8',
    env: {
      PATH: `${folder}${delimiter}${process.env['PATH']}`,
      BACKUP_FOLDER: kept,
      MONGODB_URL_FILE: join(folder, 'url'),
    },
  });
  return { status, stdout: stdout.trim(), said: readFileSync(join(folder, 'said'), 'utf8'), kept: readdirSync(kept) };
}

test('a backup has everything as of one moment, and says when it was made', () => {
  const { status, stdout, said, kept } = run([]);
  expect(status).toBe(0);
  expect(said).toMatch(/^mongodump .*--gzip --oplog --archive=/);
  expect(kept.sort()).toEqual([stdout, 'backup.prom'].sort());
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.archive\.gz$/);
  expect(readFileSync(join(folder, 'kept/backup.prom'), 'utf8')).toMatch(
    /^backup_completed_timestamp_seconds \d{10}\n$/,
  );
});

test('the password is in no argument', () => {
  expect(run([]).said).not.toContain('secret');
  expect(readFileSync(join(folder, 'config'), 'utf8')).toBe('uri: "mongodb://backup:secret@mongodb"\n');
});

test('a backup that fails leaves nothing that looks like one, and fails', () => {
  expect(run([], 1)).toMatchObject({ status: 1, kept: [] });
});

test.each([
  [['restore', 'a.archive.gz'], '--drop --oplogReplay --nsExclude admin.* --archive='],
  [['restore', 'a.archive.gz', 'ticket'], '--drop --nsInclude ticket.* --archive='],
])('%j puts back what it says', (args, told) => {
  expect(run(args).said).toContain(`--gzip ${told}${folder}/kept/a.archive.gz`);
});

test('Compose runs it, in the image of MongoDB', () => {
  const { volumes, entrypoint, image } = composeIn('docker-compose.yml').services.backup;
  expect([entrypoint, volumes[0]]).toEqual([['bash', '/backup.sh'], './k8s/chart/files/backup.sh:/backup.sh:ro']);
  expect(image).toBe(images.mongodb);
});
