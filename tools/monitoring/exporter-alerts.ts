import type { Alert } from './alerts.ts';

/** An alert on metrics of somebody else's exporter, which the operator runs: without it the rule finds nothing, and says nothing. */
export type ExporterAlert = Alert & { exporter: string };

const day = 86_400;
/** `succeeded` and `completed` are missing until a first backup has succeeded. */
const backups = {
  succeeded: 'max(kube_cronjob_status_last_successful_time{cronjob="backup"})',
  created: 'max(kube_cronjob_created{cronjob="backup"})',
  completed: 'max(backup_completed_timestamp_seconds)',
};

export const exporterAlerts: ExporterAlert[] = [
  {
    name: 'CertificateExpiring',
    exporter: 'blackbox_exporter, cert-manager',
    severity: 'ticket',
    expr:
      `probe_ssl_earliest_cert_expiry - time() < ${14 * day} ` +
      `or certmanager_certificate_expiration_timestamp_seconds - time() < ${14 * day}`,
    for: '1h',
    summary: 'A certificate ends in {{ $value | humanizeDuration }}: {{ $labels.instance }}{{ $labels.name }}',
  },
  {
    name: 'DiskFilling',
    exporter: 'node_exporter, kubelet',
    severity: 'page',
    expr:
      'node_filesystem_avail_bytes{fstype!~"tmpfs|overlay|squashfs"} / node_filesystem_size_bytes < 0.15 ' +
      'or kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes < 0.15',
    for: '5m',
    summary:
      'Less than 15 % of a disk is free: {{ $labels.mountpoint }}{{ $labels.persistentvolumeclaim }} ({{ $labels.instance }})',
  },
  {
    name: 'ReplicaSetDegraded',
    exporter: 'mongodb_exporter (Percona)',
    severity: 'ticket',
    expr: 'min by (member_idx) (mongodb_rs_members_health) == 0',
    for: '5m',
    summary: 'A member of the replica set is away: {{ $labels.member_idx }}',
  },
  {
    name: 'BackupOld',
    exporter: 'kube-state-metrics, node_exporter (textfile)',
    severity: 'ticket',
    expr:
      `time() - (${backups.succeeded} or ${backups.created}) > ${1.25 * day} ` +
      `or time() - ${backups.completed} > ${1.25 * day} ` +
      // Without Kubernetes nothing knows when the first one was due: once node_exporter has run for that long.
      `or max(time() - timestamp(node_textfile_scrape_error offset 30h)) unless (${backups.created} or ${backups.completed})`,
    for: '10m',
    summary: 'No backup has succeeded for {{ $value | humanizeDuration }}',
  },
  {
    name: 'AutoscalerAtItsLimit',
    exporter: 'kube-state-metrics',
    severity: 'ticket',
    expr:
      'kube_horizontalpodautoscaler_status_current_replicas >= kube_horizontalpodautoscaler_spec_max_replicas ' +
      'or kube_horizontalpodautoscaler_status_condition{condition="ScalingActive",status="false"} == 1',
    for: '15m',
    summary:
      'The autoscaler of {{ $labels.horizontalpodautoscaler }} has all replicas that it may have, or cannot scale',
  },
];
