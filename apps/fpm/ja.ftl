summary = PHP を専用のプロセスで動かし、FastCGI を話すウェブサーバーの後ろに置く。ほかは「php」と同じ。
