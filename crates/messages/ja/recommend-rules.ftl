### ストアを選ぶ規則: いつ当てはまり、何を答え、なぜか。

recommendation-rule-too-few-rounds-when = ストアは決め手のフェーズを終えたが、3 ラウンドに満たない

recommendation-rule-too-few-rounds-then = 判定不能。十分なラウンドを測るコマンドを示す

recommendation-rule-too-few-rounds-why = 値が 1 つか 2 つでは区間がなく、差は偶然かもしれない

recommendation-rule-nobody-through-when = 決め手のフェーズのすべてで順位がついたストアがない

recommendation-rule-nobody-through-then = 選ばない。ストアごとの理由を示す

recommendation-rule-nobody-through-why = 行を失うストア、誤った答えを返すストア、失敗するストアは、次善の選択にもならない

recommendation-rule-none-for-them-when = 複数のマシンから使うが、測定したのはライブラリーだけ

recommendation-rule-none-for-them-then = 選ばない。測定できるサーバーを示す

recommendation-rule-none-for-them-why = ライブラリーを使えるのは、それを組み込んだプログラムだけ

recommendation-rule-none-enough-when =
    必要なスループットか目標があり、すべてのフェーズで満たすストアがない。
    不安定なマシンでは、4 分の 1 に届くストアもない

recommendation-rule-none-enough-then = 選ばない。最も近いストア、それぞれの不足の度合い、改善の手がかりを示す

recommendation-rule-none-enough-why = 最も近いストアでも足りず、接続を増やすか、耐久性を下げるか、設計を変える必要がある

recommendation-rule-all-enough-when =
    必要なスループットか目標があり、どのストアもすべてのフェーズで満たす。
    不安定なマシンでは、どれも 4 倍以上の余裕で満たし、無難な選択も測定した

recommendation-rule-all-enough-then = 無難な選択。測定していなければ、リリースが続くもののうち、遅れの最も小さいストア

recommendation-rule-all-enough-why = 最も遅いストアでも足りるなら、速さではなくストアの性質で決まる

recommendation-rule-only-one-when = 条件を満たすストアが 1 つだけある。不安定なマシンでは、必要なスループットも 4 倍以上の余裕で満たす

recommendation-rule-only-one-then = そのストア。ほかに測定できるものを示す

recommendation-rule-only-one-why = 比較する相手がないか、ほかのストアが条件を満たさない

recommendation-rule-unstable-when = マシンが不安定だったか、別の Kurabe が測定中だった

recommendation-rule-unstable-then = 判定不能。平均が最良だったもの、それでも確かなこと、測り直すコマンドを示す

recommendation-rule-unstable-why = ほかのストアを測ったときの状態が悪かっただけで、先行して見えるかもしれない

recommendation-rule-first-everywhere-when = 決め手のフェーズのすべてで首位（同順位を含む）のストアが 1 つだけある

recommendation-rule-first-everywhere-then = そのストア

recommendation-rule-first-everywhere-why = これらのフェーズをどう組み合わせても、ほかに遅れない

recommendation-rule-level-everywhere-when = 決め手のフェーズのすべてで複数のストアが首位に並び、どれも最良のものと同等（20 % 以内、または --equivalent の値）

recommendation-rule-level-everywhere-then = そのどれでもよい。無難な選択を先に挙げ、ほかの違いも示す

recommendation-rule-level-everywhere-why = これほど小さな差は、使っていて気づかない

recommendation-rule-not-told-apart-when =
    決め手のフェーズのすべてで複数のストアが首位に並ぶが、同等とは言えない。
    無難な選択がその中にないか、3 倍より遅いかもしれない

recommendation-rule-not-told-apart-then =
    判定不能。
    平均が最良だったものと、ラウンドを増やすコマンドを示す。同じストアのクライアントどうしなら、そのストア

recommendation-rule-not-told-apart-why = 同順位は同等ではない。この測定で検出できるのは大きな差だけ

recommendation-rule-first-in-the-mix-when =
    首位はフェーズによって異なり、読み書きの混ざるフェーズがある。
    そのすべてで 1 つのストアがほかの 1.2 倍以上速く、それより耐久性の高いストアがない

recommendation-rule-first-in-the-mix-then = そのストア。ほかのフェーズごとに、より良いものを示す

recommendation-rule-first-in-the-mix-why = 読み書きの混ざった仕事が、サービスの仕事に最も近い

recommendation-rule-plain-near-best-when =
    すべてで首位のストアがないか、同等とは言えない複数が並ぶ。
    無難な選択は、どのフェーズでも最良の 3 倍以内の遅れ

recommendation-rule-plain-near-best-then = 無難な選択。フェーズごとに、より良いものを示す

recommendation-rule-plain-near-best-why = その差に気づくプログラムは少なく、無難な選択は運用も採用も乗り換えもコストが低い

recommendation-rule-least-behind-when = 首位がフェーズによって異なり、上のどの規則にも当てはまらない

recommendation-rule-least-behind-then =
    耐久性が同じかそれ以上のストアに対して、最も弱いフェーズの遅れが最小のストア。
    フェーズごとに、より良いものを示す

recommendation-rule-least-behind-why = 仕事の内訳がわからなければ、約束できるのは、最悪の場合の損が最小であることだけ
