// Several processes that serve one port, as a service runs that has grown: each has handles of its own, and their locks meet.

import cluster from 'node:cluster';

/** Whether this process only looks after others: it never goes on then. */
export async function lookAfter(count) {
  if (count === 1 || cluster.isWorker) return;
  let isEnding = false;
  const workers = Array.from({ length: count }, () => cluster.fork());
  process.on('SIGTERM', () => {
    isEnding = true;
    workers.forEach((worker) => worker.process.kill('SIGTERM'));
  });
  let left = count;
  cluster.on('exit', (worker, code) => {
    // A service of which a part has died is down.
    if (!isEnding) process.exit(code || 1);
    if (--left === 0) process.exit(0);
  });
  await new Promise(() => {});
}
