{{/* The name of a release: objects are called `hindsight` if the release is. */}}
{{- define "hindsight.name" -}}
{{- ternary .Release.Name (printf "%s-hindsight" .Release.Name) (contains "hindsight" .Release.Name) | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels by which objects find the pods of this release. */}}
{{- define "hindsight.labels" -}}
app.kubernetes.io/name: hindsight
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
