import type { Db } from '../../platform/database.ts';
export async function dropStaleUploads(_db: Db): Promise<void> {}
