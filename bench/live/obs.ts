// Lets a live session act on a running OBS (28 or later, its own obs-websocket server) and prints what OBS says that happened:
// replays that it saved, scenes that it showed, chapters, and what the session reports of requests that OBS refuses.
//   OBS_PASSWORD=… node bench/live/obs.ts <recording> <game> [--address ws://127.0.0.1:4455] [--query 'kills by player']
// OBS must run with a replay buffer in its settings. Needs ffmpeg.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { OBSWebSocket } from 'obs-websocket-js/json';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    address: { type: 'string', default: 'ws://127.0.0.1:4455' },
    query: { type: 'string', default: 'kills by player' },
  },
});
const [recording = '', game = ''] = positionals;
const password = process.env['OBS_PASSWORD'] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-obs-'));
const started = performance.now();
function say(text: string): void {
  process.stdout.write(`${((performance.now() - started) / 1000).toFixed(2).padStart(7)} s  ${text}\n`);
}

const obs = new OBSWebSocket();
const { obsWebSocketVersion } = await obs.connect(values.address, password, { rpcVersion: 1 });
const { obsVersion } = await obs.call('GetVersion');
say(`OBS ${obsVersion}, obs-websocket ${obsWebSocketVersion}`);
const { scenes } = await obs.call('GetSceneList');
const names = scenes.map(({ sceneName }) => sceneName);
for (const name of ['Game', 'Replay']) {
  if (!names.includes(name)) await obs.call('CreateScene', { sceneName: name });
  const { sceneItems } = await obs.call('GetSceneItemList', { sceneName: name });
  // OBS asks its user before it records scenes without a source.
  const input = { sceneName: name, inputName: `Color of ${name}`, inputKind: 'color_source_v3' };
  if (sceneItems.length === 0) await obs.call('CreateInput', input);
}
await obs.call('SetCurrentProgramScene', { sceneName: 'Game' });
const { outputActive } = await obs.call('GetReplayBufferStatus');
if (!outputActive) await obs.call('StartReplayBuffer');
const { outputActive: isRecording } = await obs.call('GetRecordStatus');
if (!isRecording) await obs.call('StartRecord');
obs.on('CurrentProgramSceneChanged', ({ sceneName }) => say(`OBS shows the scene ${sceneName}`));
obs.on('ReplayBufferSaved', ({ savedReplayPath }) =>
  say(`OBS saved a replay of ${Math.round(statSync(savedReplayPath).size / 1024)} KiB`),
);

const triggers = join(folder, 'triggers.json');
const actions = [
  { action: 'save-replay', delay: 1 },
  { action: 'chapter', name: '{text}' },
  { action: 'switch-scene', scene: 'Replay', seconds: 3 },
];
writeFileSync(
  triggers,
  JSON.stringify({
    format: 'playbyplay/triggers/1',
    obs: { address: values.address, password: 'env:OBS_PASSWORD' },
    triggers: [
      { query: values.query, pause: 8, do: actions },
      { query: values.query, pause: 60, do: [{ action: 'switch-scene', scene: 'No such scene' }] },
    ],
  }),
);
const sender = spawn(
  'ffmpeg',
  ['-v', 'error', '-re', '-i', recording, '-map', '0:v', '-c', 'copy', '-f', 'mpegts', 'pipe:1'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const launcher = join(import.meta.dirname, '../../src/cli/launch.js');
const args = [launcher, 'live', '-', '--game', game, '--out', join(folder, 'log'), '--triggers', triggers, '--quiet'];
const session = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'pipe'], env: process.env });
sender.stdout.pipe(session.stdin);
const ended = new Promise((resolve) => void session.once('exit', resolve));
for await (const line of createInterface(session.stderr)) say(`session: ${line}`);
say(`session: exit ${await ended}`);
if (!isRecording) await obs.call('StopRecord');
await obs.disconnect();
rmSync(folder, { recursive: true });
