{{- define "everturn.labels" -}}
app.kubernetes.io/name: everturn
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "everturn.selector" -}}
app.kubernetes.io/name: everturn
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "everturn.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "everturn.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "everturn.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /* Other pods start anew when the settings change. */}}
{{- define "everturn.settings" -}}
checksum/settings: {{ toJson .Values.settings | sha256sum }}
{{- end }}

{{- define "everturn.secretMount" -}}
{ name: secrets, mountPath: /run/secrets/everturn, readOnly: true }
{{- end }}

{{- define "everturn.secretSettings" -}}
{{- range . }}
- { name: {{ . }}_FILE, value: /run/secrets/everturn/{{ . }} }
{{- end }}
{{- end }}

{{- define "everturn.secretVolume" -}}
{ name: secrets, secret: { secretName: {{ . | quote }}, defaultMode: 0440 } }
{{- end }}

{{- define "everturn.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
