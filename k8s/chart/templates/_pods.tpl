{{- define "image" -}}
{{ .root.Values.image.prefix }}/{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "labels" -}}
app.kubernetes.io/name: {{ . }}
app.kubernetes.io/part-of: facility-platform
{{- end }}

{{- /* Of a pod with `name` and `secrets`: restricted Pod Security, and its Secret. */ -}}
{{- define "pod" -}}
serviceAccountName: {{ .name }}
automountServiceAccountToken: false
# They would add variables for every Service of the namespace.
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - { name: {{ . }} }
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - { name: tmp, emptyDir: { sizeLimit: 64Mi } }
  {{- if .secrets }}
  - { name: secrets, secret: { secretName: {{ .name }}-secrets, defaultMode: 288 } } # 0440
  {{- if .root.Values.authority.enabled }}
  - { name: authority, secret: { secretName: authority, defaultMode: 288, items: [{ key: ca.crt, path: ca.crt }] } }
  {{- end }}
  {{- end }}
{{- end }}

{{- /* Of its container: no writes, no capabilities, no privilege escalation. */ -}}
{{- define "container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- if .secrets }}
  - { name: secrets, mountPath: /run/secrets/platform, readOnly: true }
  {{- if .root.Values.authority.enabled }}
  - { name: authority, mountPath: /run/authority, readOnly: true }
  {{- end }}
  {{- end }}
{{- end }}

{{- /* Variables of that container: where its secret settings are, and whom it trusts. */ -}}
{{- define "secretVariables" -}}
{{- range .secrets }}
- { name: {{ . }}_FILE, value: /run/secrets/platform/{{ . }} }
{{- end }}
{{- if and .secrets .root.Values.authority.enabled }}
- { name: NODE_EXTRA_CA_CERTS, value: /run/authority/ca.crt }
{{- end }}
{{- end }}

{{- /* As the ports are called in a Service, by their settings: `http`, `ticket-api`. */ -}}
{{- define "portName" -}}
{{- if eq . "PORT" }}http{{ else }}{{ . | trimSuffix "_PORT" | replace "_" "-" | lower }}{{ end }}
{{- end }}
