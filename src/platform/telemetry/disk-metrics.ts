import { Gauge } from 'prom-client';
import type { DiskSpace } from '../disk-space.ts';
import type { Metrics } from './metrics.ts';

/** Monitoring warns with the first, before the second. */
export function addDiskMetrics({ registry }: Metrics, disk: DiskSpace): void {
  registry.registerMetric(
    new Gauge({
      name: 'posthorn_disk_free_bytes',
      help: 'Free space of the disk that DATA_DIR is on',
      registers: [],
      async collect() {
        const free = await disk.freeBytes();
        if (Number.isFinite(free)) this.set(free);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'posthorn_disk_full',
      help: '1 while nothing is stored, because less than MIN_FREE_DISK_MB is free or the disk of the database is full',
      registers: [],
      async collect() {
        this.set((await disk.fullSince()) === null ? 0 : 1);
      },
    }),
  );
}
