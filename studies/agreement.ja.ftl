title = 同じサービスを測ると、wrk、ab、siege と Kurabe の速さは一致するか
