/**
 * Settings for a small machine that also runs everything else. Durability is not traded: fsync and synchronous_commit
 * stay on.
 */
export const postgresSettings = {
  listen_addresses: '127.0.0.1',
  // A socket's path may have 107 characters only, and nothing here needs one.
  unix_socket_directories: '',
  max_connections: 100,
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '256MB',
  min_wal_size: '64MB',
  // No standby will read this log.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  // Processes that a small machine does better without.
  io_method: 'sync',
  max_parallel_workers_per_gather: 0,
  jit: 'off',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
  timezone: 'UTC',
  log_timezone: 'UTC',
} as const;
