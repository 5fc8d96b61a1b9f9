//! What a run records of a candidate before it is measured.

use std::collections::BTreeMap;

use kurabe_messages::{RecordedText, message};
use kurabe_record::{AtUrl, CandidateRecord, CandidateRequest, DurabilityRecord, KeptSetting, StoreAccess, StoreKind};
use kurabe_service::Found;
use kurabe_study::{CandidateSpec, ClientDescriptor, Durability, StoreDescriptor, Study};

/// The candidate as it will be measured.
pub(super) fn record(
    study: &Study,
    spec: &CandidateSpec,
    store: &StoreDescriptor,
    durability: Option<&Durability>,
    found: Option<&Found>,
    processes: u32,
) -> CandidateRecord {
    let kept = |name: &str, args: &[String], settings: &BTreeMap<String, String>, reason: RecordedText| {
        let settings = settings.iter().map(|(name, value)| format!("{name}={value}"));
        let value: Vec<String> = args.iter().cloned().chain(settings).collect();
        KeptSetting { name: name.to_string(), value: value.join(" "), reason }
    };
    let mut settings = Vec::new();
    if spec.url.is_none() {
        settings.extend(durability.map(|setting| {
            kept(
                &format!("durability: {}", setting.name),
                &setting.args,
                &setting.settings,
                setting.reason.as_str().into(),
            )
        }));
        settings.extend(
            store
                .settings
                .iter()
                .map(|setting| kept(&setting.name, &setting.args, &setting.settings, setting.reason.as_str().into())),
        );
        if !(spec.args.is_empty() && spec.settings.is_empty()) {
            settings.push(kept("of this candidate", &spec.args, &spec.settings, message!(run_setting_asked).into()));
        }
        settings.extend(spec.binary.iter().map(|path| KeptSetting {
            name: "binary".into(),
            value: path.display().to_string(),
            reason: message!(run_setting_binary).into(),
        }));
    }
    CandidateRecord {
        name: spec.name.clone(),
        store: spec.store.clone(),
        title: store.title.clone(),
        variant: spec.variant.clone(),
        client: spec.client.to_string(),
        kind: if spec.is_baseline { StoreKind::Baseline } else { store.kind },
        baseline: store.baseline,
        service_version: found.and_then(|found| found.version.clone()),
        at_url: spec.shown_url().map(|url| AtUrl { url }),
        durability: durability.map(durability_record),
        settings,
        asked: asked(spec),
        base: spec.base.clone(),
        factors: spec.factors.clone(),
        processes,
        transport: reached(study, spec, store),
        app: Vec::new(),
        asked_by: spec.asked_by.clone(),
        by_load_tool: false,
    }
}

/// How the client of a candidate reaches its store.
fn reached(study: &Study, spec: &CandidateSpec, store: &StoreDescriptor) -> StoreAccess {
    if !spec.app.is_empty() {
        return StoreAccess::Tcp;
    }
    match (&store.service, spec.reached_by()) {
        (None, _) => StoreAccess::InProcess,
        (Some(_), Some(transport)) => transport.into(),
        (Some(service), None) if service.unix_url.is_some() => study.plan.transport.into(),
        (Some(_), None) => StoreAccess::Tcp,
    }
}

/// Settings of the client itself that a candidate leaves as they are; those that it gives stand with its own.
pub(super) fn client_settings(client: &ClientDescriptor, spec: &CandidateSpec) -> Vec<KeptSetting> {
    let kept = client.options.iter().filter(|option| !spec.settings.contains_key(&option.name));
    kept.map(|option| KeptSetting {
        name: format!("client: {}", option.name),
        value: option.default.clone(),
        reason: option.reason.as_str().into(),
    })
    .collect()
}

/// What cannot be told from the name; nothing where the candidate was named in the short form.
fn asked(spec: &CandidateSpec) -> Option<CandidateRequest> {
    spec.from_table.then(|| CandidateRequest {
        durability: spec.durability.clone(),
        minimum: spec.minimum,
        profile: spec.profile,
        settings: spec.settings.clone(),
        args: spec.args.clone(),
        output: spec.output,
        binary: spec.binary.as_ref().map(|path| path.display().to_string()),
    })
}

/// The setting as it stands in the record.
pub(crate) fn durability_record(setting: &Durability) -> DurabilityRecord {
    DurabilityRecord {
        name: setting.name.clone(),
        guarantee: setting.guarantee(),
        window: setting.window.clone(),
        proof: setting.proof.clone(),
        source: setting.source.clone(),
    }
}
