### スタディの軸と落とし穴の誤り。

### 軸

study-axis-form = 軸（connections=1,8,64、read.connections=1,8 など）

study-axis-value = 値は数、語、true、false のどれかです

study-axis-value-empty = 値が空か、制御文字を含んでいます

study-axis-unknown =
    軸「{ $name }」はありません。独自の軸には [[axis.variation]] を書いてください。既存の軸: { $known }

study-axis-not-own = この軸はスタディのキーを変えます。「values」を書くか、軸を別の名前にしてください

study-axis-own-phase = 「{ $axis }」はスタディ独自の軸で、フェーズごとには指定できません。「{ $phase }.」を削除してください

study-axis-no-phase = この軸はフェーズごとには指定できません。「{ $phases }」を削除してください

study-axis-design = design = "one-at-a-time" は行数以外の、仕事を変える軸でだけ使えます。「design」を削除してください

study-axis-no-effect = 「{ $key }」で変わる操作をするフェーズがありません。この軸を削除してください

study-axis-no-effect-named = 指定したフェーズには「{ $key }」で変わる操作がありません。この軸を削除してください

study-axis-no-search = 検索するフェーズがないため、索引の有無で何も変わりません。検索を追加してください

study-axis-same-work = すべての候補が同じ仕事をします。「stores」を削除するか、[[pitfall]] を使ってください

study-axis-both =
    1 つの軸で変えられるのは仕事か候補のどちらかです。軸を 2 つに分けるか、値ごとに [[pitfall]] を使ってください

study-axis-changes-nothing = 軸のどのバリエーションも何も変えません。[[axis.variation.change]] にキーを書いてください

study-axis-jobs =
    { $configurations } 構成 × { $candidates } 候補で 1 ラウンドが { $jobs } ジョブになり、上限の { $most } を超えます。
    軸の値かストアを減らすか、design = "one-at-a-time" を指定してください

study-axis-candidate-sets = 候補「{ $candidate }」がこれを自分で設定しています。候補の設定か、軸を削除してください

### 値の数

study-axis-no-values = 軸には 2 つ以上の値が必要です

study-axis-one-value = 軸には 2 つ以上の値が必要です。値が 1 つなら、{ $instead }

study-axis-many = 値が { $count } 個あり多すぎます。{ $most } 個までにしてください

study-axis-as-flag = { $flag } { $value } を使ってください

study-axis-in-study = スタディに { $line } と書いてください

study-axis-in-phase = フェーズに { $line } と書いてください

study-axis-in-field = [[field]] に indexed = true と書くか、「indexed」を省いてください

study-axis-in-name = STORE+{ $client } のようにストアとともに指定してください

study-axis-in-candidate = [[candidate]] で設定してください

study-axis-as-study = その変更をスタディに直接書いてください

### 候補がなれないもの

study-axis-client-of-app = アプリは自分のクライアントを使います

study-axis-at-address = アドレスを指定したストアは、設定を変えずに測ります

study-axis-at-address-flag = アドレスを指定したストアは、設定を変えずに測ります。{ $flag } をつけてください

study-axis-no-durability = { $store } に耐久性の設定「{ $setting }」はありません

study-axis-no-minimum = { $store } に耐久性「{ $minimum }」の設定はありません

study-axis-no-tuned = { $store } にプロファイル「tuned」の設定はありません

study-axis-no-client = { $store } にクライアント「{ $client }」はありません

study-axis-no-setting = 設定「{ $setting }」はありません

### 落とし穴

study-pitfall-changes-nothing = { $pitfall }は何も変えません。設定するものを [[pitfall.change]] に書いてください

study-pitfall-nothing-here = { $pitfall }は、この測定のストアには影響しません

study-pitfall-nothing-new = { $pitfall }は何も変えません。設定する値がすでに設定されています

study-pitfall-phase-same = { $pitfall }はフェーズ「{ $phase }」を何も変えません。設定する値がすでに設定されています

study-pitfall-phase-left-out = { $pitfall }はフェーズ「{ $phase }」を変えながら省いています。どちらか一方にしてください

study-pitfall-phase-unsupported = { $pitfall }はフェーズ「{ $phase }」を変えられません。対象のストアはどれもこのフェーズを実行できません。「stores」に別のストアを書いてください

study-pitfall-axis-same = { $pitfall }は何も変えません。「from」と「to」がどちらも「{ $value }」です

study-pitfall-none-here = この測定のストアに影響する落とし穴がありません。フラグを外してください

study-pitfall-none = このスタディに落とし穴はありません。フラグを外してください

study-pitfall-axis = 1 つのジョブのフェーズを作る軸「{ $axis }」がスタディにありません

study-pitfall-jobs = 落とし穴で 1 ラウンドが { $jobs } ジョブになり、上限の { $most } を超えます。--pitfall で絞ってください

study-pitfall-load-tool = 負荷ツールは答えを検証しません。別のクライアントを指定してください
